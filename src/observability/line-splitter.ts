import { StringDecoder } from 'node:string_decoder';

/** Ends a line that was longer than anyone reads. */
export const CUT_MARK = ' …[cut]';

const DEFAULT_MAX_CHARS = 16 * 1024;

/** Turns a stream's bytes into lines; a code point split between two chunks stays whole. */
export class LineSplitter {
  readonly #maxChars: number;
  readonly #decoder = new StringDecoder('utf8');
  #partial = '';
  /** the rest of a line that was cut is thrown away up to its end */
  #skipping = false;

  constructor(maxChars = DEFAULT_MAX_CHARS) {
    this.#maxChars = maxChars;
  }

  /** @returns the lines that this chunk completed, without their line ends */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#append(text, start, end, lines);
      if (!this.#skipping) lines.push(withoutReturn(this.#partial));
      this.#partial = '';
      this.#skipping = false;
      start = end + 1;
    }
    this.#append(text, start, text.length, lines);
    return lines;
  }

  /** The last line when the stream ended without a line end; undefined when there is none. */
  flush(): string | undefined {
    const lines: string[] = [];
    const rest = this.#decoder.end();
    this.#append(rest, 0, rest.length, lines);
    const line = lines[0] ?? (this.#partial === '' ? undefined : withoutReturn(this.#partial));
    this.#partial = '';
    this.#skipping = false;
    return line;
  }

  #append(text: string, start: number, end: number, lines: string[]): void {
    if (this.#skipping || start === end) return;
    const room = this.#maxChars - this.#partial.length;
    this.#partial += text.slice(start, Math.min(end, start + room));
    // one more character may be the `\r` of a line that fits
    if (end - start <= room || isReturn(text, start + room, end)) return;
    lines.push(`${wholeCharacters(this.#partial)}${CUT_MARK}`);
    this.#partial = '';
    this.#skipping = true;
  }
}

function isReturn(text: string, at: number, end: number): boolean {
  return at === end - 1 && text[at] === '\r';
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** A cut between the halves of a surrogate pair would leave half a character. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
