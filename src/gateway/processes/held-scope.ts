import type { EndingTimes, Scope } from '../../containment/index.js';

/** A scope until nobody lives in it; then its place is given back, once. */
export class HeldScope {
  readonly #scope: Scope;
  #isHeld = true;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** for whoever asks about many at once */
  get inner(): Scope {
    return this.#scope;
  }

  get name(): string {
    return this.#scope.name;
  }

  get tag(): string {
    return this.#scope.tag;
  }

  /** Something of the tree lives, as far as was looked. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Processes of it that the kernel ended for want of memory. */
  oomKills(): number {
    return this.#isHeld ? this.#scope.oomKills() : 0;
  }

  /** Looks whether somebody is left. */
  async check(): Promise<void> {
    if (!this.#isHeld) return;
    if ((await this.#scope.count()) === 0) this.#giveBack();
  }

  /** @returns who survived */
  async end(times: EndingTimes): Promise<readonly number[]> {
    if (!this.#isHeld) return [];
    const { survivors } = await this.#scope.end(times);
    if (survivors.length === 0) this.#giveBack();
    return survivors;
  }

  #giveBack(): void {
    // two checks may have been on their way at once
    if (this.#isHeld && this.#scope.dispose()) this.#isHeld = false;
  }
}
