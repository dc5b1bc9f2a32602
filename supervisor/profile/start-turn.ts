import type { SlotSource, StartSlot } from './start-slots.js';

/** A profile's place in the queue of starts, and then its slot. */
export class StartTurn {
  readonly #slots: SlotSource;
  #claim: AbortController | undefined;
  #slot: StartSlot | undefined;

  constructor(slots: SlotSource) {
    this.#slots = slots;
  }

  /** Calls back once it is this profile's turn, unless it is given up before. */
  wait(begin: () => void): void {
    this.leave();
    const claim = new AbortController();
    this.#claim = claim;
    this.#slots.acquire(claim.signal, (slot) => {
      this.#claim = undefined;
      this.#slot = slot;
      begin();
    });
  }

  /** Gives up the place or the slot; the next one may start. */
  leave(): void {
    this.#claim?.abort();
    this.#claim = undefined;
    this.#slot?.release();
    this.#slot = undefined;
  }
}
