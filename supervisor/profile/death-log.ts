import { CAUSES, type Cause, type Death } from '../../src/core/death.js';
import { JUDGED_DEATHS } from '../../src/core/judge.js';
import type { RestartCounters } from '../../src/core/status.js';

/**
 * A profile's deaths: the recent ones for judge(), the counters by cause for ever. The whole
 * history is in the store.
 */
export class DeathLog {
  #counts: Record<Cause, number>;
  #deaths: Death[];
  #last: Death | undefined;

  constructor(past: { deaths: readonly Death[]; counts: Readonly<Record<Cause, number>> }) {
    this.#deaths = past.deaths.slice(-JUDGED_DEATHS);
    this.#last = past.deaths.at(-1);
    this.#counts = { ...past.counts };
  }

  static empty(): DeathLog {
    return new DeathLog({ deaths: [], counts: zeroCounts() });
  }

  add(death: Death): void {
    this.#last = death;
    this.#deaths.push(death);
    if (this.#deaths.length > JUDGED_DEATHS) this.#deaths.shift();
    this.#counts[death.cause]++;
  }

  /** An operator's start: what happened before counts no more. Counters and the last exit stay. */
  clear(): void {
    this.#deaths = [];
  }

  /** What the store counted, this run's deaths included. */
  restoreCounts(counts: Readonly<Record<Cause, number>>): void {
    this.#counts = { ...counts };
  }

  /** since an operator last cleared them, oldest first */
  get counted(): readonly Death[] {
    return this.#deaths;
  }

  get last(): Death | undefined {
    return this.#last;
  }

  get counters(): RestartCounters {
    const total = CAUSES.reduce((sum, cause) => sum + this.#counts[cause], 0) - this.#counts.asked;
    return { ...this.#counts, total };
  }
}

export function zeroCounts(): Record<Cause, number> {
  return Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>;
}
