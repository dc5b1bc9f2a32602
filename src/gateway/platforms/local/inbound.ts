import {
  type FromChat,
  LOCAL_LINE_MAX_BYTES,
  type ParsedLine,
  parseFromChat,
} from '../../../core/local-protocol.js';
import { LIMITS } from './limits.js';

const NEWLINE = 0x0a;

/** Splits bytes into lines and parses each; a line that is too long is skipped to its end. */
export class LineReader {
  #parts: Buffer[] = [];
  #size = 0;

  /** Every line that this piece completes. */
  take(piece: Buffer): ParsedLine<FromChat>[] {
    const lines: ParsedLine<FromChat>[] = [];
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at));
      const line = this.#parseLine();
      if (line !== undefined) lines.push(line);
      from = at + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  #keep(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > LIMITS.maxLineBytes) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }

  #parseLine(): ParsedLine<FromChat> | undefined {
    const size = this.#size;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    if (size > LIMITS.maxLineBytes) {
      const expected = `expected a line of at most ${LOCAL_LINE_MAX_BYTES} bytes`;
      return { kind: 'broken', expected, got: `${size}` };
    }
    return parseBytes(bytes);
  }
}

function parseBytes(bytes: Buffer): ParsedLine<FromChat> | undefined {
  let line: string;
  try {
    line = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { kind: 'broken', expected: 'expected a line in UTF-8', got: 'other bytes' };
  }
  if (line.trim() === '') return undefined;
  const parsed = parseFromChat(line);
  if (parsed.kind === 'broken' || parsed.message.code !== 'message') return parsed;
  const { length } = parsed.message.text;
  if (length <= LIMITS.maxTextChars) return parsed;
  const expected = `expected text of at most ${LIMITS.maxTextChars} characters`;
  return { kind: 'broken', expected, got: `${length}` };
}
