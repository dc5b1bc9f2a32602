import { clampTimerMs } from '../../src/core/durations.js';
import type { Verdict } from '../../src/core/judge.js';

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

  /** For what the verdict leaves to time; nothing where somebody has to come first. */
  armFor(verdict: Verdict | undefined, due: () => void): void {
    if (verdict?.kind === 'restart-after') this.arm('restart', verdict.delayMs, due);
    if (verdict?.kind === 'park' && verdict.probeAfterMs !== undefined) {
      this.arm('probe', verdict.probeAfterMs, due);
    }
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
