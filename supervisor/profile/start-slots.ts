import { clampTimerMs } from '../../src/core/durations.js';

/** A right to be starting; give it back exactly once (more is harmless). */
export interface StartSlot {
  release(): void;
}

/** Where a profile gets its right to start from. */
export interface SlotSource {
  acquire(signal: AbortSignal, grant: (slot: StartSlot) => void): void;
}

interface Waiting {
  readonly grant: (slot: StartSlot) => void;
  readonly signal: AbortSignal;
}

/**
 * Lets at most so many profiles start at the same time. The first come at once; those that
 * had to wait get a random pause, so that a whole fleet does not start in step.
 */
export class StartSlots implements SlotSource {
  readonly #limit: () => number;
  readonly #jitterMs: () => number;
  readonly #random: () => number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(facts: { limit: () => number; jitterMs: () => number; random: () => number }) {
    this.#limit = facts.limit;
    this.#jitterMs = facts.jitterMs;
    this.#random = facts.random;
  }

  /** Calls back once with a slot, at once when one is free; never after the signal is aborted. */
  acquire(signal: AbortSignal, grant: (slot: StartSlot) => void): void {
    if (signal.aborted) return;
    if (this.#taken < this.#limit()) {
      this.#taken++;
      grant(this.#slot());
      return;
    }
    const entry: Waiting = {
      grant: (slot) => {
        signal.removeEventListener('abort', forget);
        grant(slot);
      },
      signal,
    };
    const forget = () => this.#forget(entry);
    this.#waiting.push(entry);
    signal.addEventListener('abort', forget);
  }

  #slot(): StartSlot {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#passOn();
      },
    };
  }

  /** The slot stays taken during the pause: it belongs to the one that waits. */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#taken--;
      return;
    }
    const pauseMs = clampTimerMs(this.#jitterMs() * this.#random());
    setTimeout(() => {
      if (next.signal.aborted) this.#passOn();
      else next.grant(this.#slot());
    }, pauseMs);
  }

  #forget(entry: Waiting): void {
    const at = this.#waiting.indexOf(entry);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}
