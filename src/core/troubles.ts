/** What is wrong, by who says so: one that is well again must not hide another that is not. */
export class Troubles {
  readonly #details = new Map<string, string>();

  /** all of it in one line; undefined: nothing */
  get text(): string | undefined {
    return this.#details.size === 0 ? undefined : [...this.#details.values()].join('; ');
  }

  /** `detail` undefined: this source is well again. @returns whether the text has changed */
  set(source: string, detail: string | undefined): boolean {
    const before = this.text;
    if (detail === undefined) this.#details.delete(source);
    else this.#details.set(source, detail);
    return this.text !== before;
  }
}
