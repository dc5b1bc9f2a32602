import { StringDecoder } from 'node:string_decoder';

/**
 * Bytes of a program as text pieces: split code points are put together, and line ends at the
 * very end are held back, because a program's last newline is not part of its answer.
 */
export class OutputText {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxChars: number;
  #held = '';
  #text = '';
  #isCut = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get text(): string {
    return this.#text;
  }

  /** More came than may be kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** @returns what can be shown now; empty: nothing yet */
  take(bytes: Buffer): string {
    return this.#show(this.#decoder.write(bytes));
  }

  /** @returns the last piece; half a code point becomes a replacement character */
  end(): string {
    return this.#show(this.#decoder.end());
  }

  #show(decoded: string): string {
    const pending = this.#held + decoded;
    const trimmed = pending.replace(/[\r\n]+$/, '');
    this.#held = pending.slice(trimmed.length);
    const room = this.#maxChars - this.#text.length;
    const shown = trimmed.slice(0, room);
    this.#isCut ||= trimmed.length > room;
    this.#text += shown;
    return shown;
  }
}
