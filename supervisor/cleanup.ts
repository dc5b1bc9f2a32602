/** What was opened is closed in the opposite order, each once, also after a failure half way. */
export class Cleanup {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      await step();
    }
  }
}
