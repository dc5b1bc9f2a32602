import { clampTimerMs } from '../../src/core/durations.js';

/** What a profile without a live generation waits for. */
export interface NextAction {
  readonly action: 'restart' | 'probe';
  /** epoch milliseconds */
  readonly at: number;
  readonly delayMs: number;
}

/** The one timer of a profile in back-off or parked. */
export class Wait {
  #next: NextAction | undefined;
  #timer: NodeJS.Timeout | undefined;

  get next(): NextAction | undefined {
    return this.#next;
  }

  arm(action: NextAction['action'], delayMs: number, due: () => void): void {
    this.disarm();
    this.#next = { action, delayMs, at: Date.now() + delayMs };
    this.#timer = setTimeout(() => {
      this.#next = undefined;
      due();
    }, clampTimerMs(delayMs));
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.#next = undefined;
  }
}
