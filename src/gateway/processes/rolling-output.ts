import { StringDecoder } from 'node:string_decoder';
import { SecretFilter } from '../../core/secret.js';

/** The newest output of a process as text without the profile's secrets, with positions that stay true while old text leaves. */
export class RollingOutput {
  readonly #decoder = new StringDecoder('utf8');
  readonly #filter: SecretFilter;
  readonly #maxChars: number;
  #pieces: string[] = [];
  #keptChars = 0;
  #totalChars = 0;

  constructor(maxChars: number, secrets: readonly string[]) {
    this.#maxChars = maxChars;
    // before anything is cut: half a secret would not be found any more
    this.#filter = new SecretFilter(secrets);
  }

  /** characters since the start, those that left included: a position to read on from */
  get totalChars(): number {
    return this.#totalChars;
  }

  /** position of the oldest character that is still kept */
  get firstChar(): number {
    return this.#totalChars - this.#keptChars;
  }

  /** @returns the new text; half a code point, or a secret's beginning, waits for the rest */
  take(bytes: Buffer): string {
    return this.#keep(this.#filter.take(this.#decoder.write(bytes)));
  }

  /** @returns what the last half code point became */
  end(): string {
    return this.#keep(this.#filter.take(this.#decoder.end()) + this.#filter.end());
  }

  /** Everything kept from a position on. */
  since(position: number): string {
    const skipped = Math.max(0, position - this.firstChar);
    return skipped >= this.#keptChars ? '' : this.#join().slice(skipped);
  }

  tail(chars: number): string {
    return this.since(this.#totalChars - chars);
  }

  #keep(text: string): string {
    if (text === '') return text;
    this.#pieces.push(text);
    this.#keptChars += text.length;
    this.#totalChars += text.length;
    while (this.#keptChars > this.#maxChars) this.#dropOldest();
    return text;
  }

  #dropOldest(): void {
    const excess = this.#keptChars - this.#maxChars;
    const [oldest = ''] = this.#pieces;
    if (oldest.length <= excess) this.#pieces.shift();
    else this.#pieces[0] = oldest.slice(excess);
    this.#keptChars -= Math.min(oldest.length, excess);
    // many tiny pieces would cost more than their text
    if (this.#pieces.length > MAX_PIECES) this.#join();
  }

  #join(): string {
    const text = this.#pieces.join('');
    this.#pieces = text === '' ? [] : [text];
    return text;
  }
}

const MAX_PIECES = 4096;
