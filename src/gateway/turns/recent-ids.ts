/** The newest ids, first in first out: an inbound message that comes twice runs once. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#max) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  /** The turn failed: the same message may come again. */
  forget(id: string): void {
    this.#ids.delete(id);
  }
}
