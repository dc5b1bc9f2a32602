export interface RingLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** The newest lines, bounded twice so that neither many nor long ones grow it (field case F6). */
export class LineRing {
  readonly #limits: RingLimits;
  readonly #lines: string[] = [];
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The newest line is kept even when it alone is over the byte limit. */
  push(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line);
    while (this.#isOver() && this.#lines.length > 1) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? '');
    }
  }

  /** oldest first */
  lines(): string[] {
    return [...this.#lines];
  }

  clear(): void {
    this.#lines.length = 0;
    this.#bytes = 0;
  }

  #isOver(): boolean {
    return this.#lines.length > this.#limits.maxLines || this.#bytes > this.#limits.maxBytes;
  }
}
