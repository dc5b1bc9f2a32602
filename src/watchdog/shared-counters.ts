/**
 * What the loop writes and the thread reads without either waiting for the other. The loop
 * notes how late each of its ticks was; the thread tells how often it wants one.
 */

/** Upper bounds of the delay buckets; the last one is open. */
export const DELAY_BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
];

const TICK = 0;
const TICK_EVERY_MS = 1;
const IS_LATE = 2;
const FIRST_DELAY = 3;
const INTS = FIRST_DELAY + DELAY_BOUNDS_MS.length + 1;

export class SharedCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #ints: Int32Array;

  constructor(buffer = new SharedArrayBuffer(INTS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#ints = new Int32Array(buffer);
  }

  get tick(): number {
    return Atomics.load(this.#ints, TICK);
  }

  move(lateMs: number): void {
    Atomics.add(this.#ints, TICK, 1);
    const bucket = DELAY_BOUNDS_MS.findIndex((boundMs) => lateMs <= boundMs);
    const index = bucket < 0 ? DELAY_BOUNDS_MS.length : bucket;
    Atomics.add(this.#ints, FIRST_DELAY + index, 1);
  }

  get tickEveryMs(): number {
    return Atomics.load(this.#ints, TICK_EVERY_MS);
  }

  set tickEveryMs(everyMs: number) {
    Atomics.store(this.#ints, TICK_EVERY_MS, Math.max(1, Math.round(everyMs)));
  }

  /** What the thread thinks of the loop: late, and not yet well again. */
  get isLate(): boolean {
    return Atomics.load(this.#ints, IS_LATE) !== 0;
  }

  set isLate(isLate: boolean) {
    Atomics.store(this.#ints, IS_LATE, isLate ? 1 : 0);
  }

  /** Ticks by lateness, one count per bucket. */
  get delays(): readonly number[] {
    return [...this.#ints.subarray(FIRST_DELAY, INTS)];
  }
}

export interface LoopDelay {
  readonly ticks: number;
  /** upper bounds; null: beyond the last one, or nothing was counted */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** The distribution of how late the loop's ticks were. */
export function summarizeDelays(counts: readonly number[]): LoopDelay {
  const ticks = counts.reduce((sum, count) => sum + count, 0);
  const boundOf = (share: number): number | null => {
    let seen = 0;
    const index = counts.findIndex((count) => {
      seen += count;
      return count > 0 && seen >= ticks * share;
    });
    return DELAY_BOUNDS_MS[index] ?? null;
  };
  return { ticks, p50Ms: boundOf(0.5), p99Ms: boundOf(0.99), maxMs: boundOf(1) };
}
