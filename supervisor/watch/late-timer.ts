import { formatDuration } from '../../src/core/durations.js';
import { monotonicMs } from '../../src/core/monotonic.js';
import type { WatchPolicy } from '../../src/core/watch.js';

/** Used so much of the lost time itself: it was at work, and not kept from it. */
const OWN_SHARE = 0.5;
const US_PER_MS = 1000;

/** What kept a loop, from the outside: no stack is left to look at once it is back. */
export function describeGap(lateMs: number, ownCpuMs: number): string {
  return ownCpuMs >= lateMs * OWN_SHARE
    ? `at work by itself: it used ${formatDuration(ownCpuMs)} of processor time meanwhile`
    : 'it waited: for the processor, a disk, or after a stop of the process';
}

/** Sees by its own timer that the loop was late, once it is back: no thread, next to no cost. */
export class LateTimer {
  // a loop that can be asked runs
  readonly isOnTime = true;
  readonly #timer: NodeJS.Timeout;

  constructor(
    { sampleMs, warnAfterMs }: Pick<WatchPolicy, 'sampleMs' | 'warnAfterMs'>,
    onLate: (where: string, lateMs: number) => void,
  ) {
    let dueAtMs = monotonicMs() + sampleMs;
    let cpuMs = cpuNowMs();
    this.#timer = setInterval(() => {
      const lateMs = Math.round(monotonicMs() - dueAtMs);
      const before = cpuMs;
      cpuMs = cpuNowMs();
      dueAtMs = monotonicMs() + sampleMs;
      if (lateMs >= warnAfterMs) onLate(describeGap(lateMs, Math.round(cpuMs - before)), lateMs);
    }, sampleMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function cpuNowMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}
