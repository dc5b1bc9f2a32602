import { readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/** What the host has kept from the main thread so far; ever growing milliseconds. */
export interface StolenTotals {
  /** it could have run, and others did */
  readonly waitedMs: number;
  /** everybody on the host waited for memory */
  readonly memoryMs: number;
}

/** Where the kernel does not count (other systems, old kernels) nothing was stolen. */
export function readStolenTotals(pid: number): StolenTotals {
  return {
    waitedMs: parseRunDelayMs(readText(`/proc/${pid}/schedstat`)),
    memoryMs: parseFullStallMs(readText('/proc/pressure/memory')),
  };
}

/** Second number of schedstat: nanoseconds on a run queue. */
export function parseRunDelayMs(schedstat: string): number {
  return (Number(schedstat.split(' ')[1]) || 0) / NS_PER_MS;
}

/** `full`: no process of the host got on, because each waited for memory; microseconds. */
export function parseFullStallMs(pressure: string): number {
  const total = /^full .*\btotal=(\d+)/m.exec(pressure)?.[1];
  return Number(total ?? 0) / US_PER_MS;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Looks only while the loop is late: a loop on time costs nothing. */
export class StolenTime {
  readonly #read: () => StolenTotals;
  #before: StolenTotals | undefined;

  constructor(read: () => StolenTotals) {
    this.#read = read;
  }

  /** the loop moves: what comes next is counted from anew */
  forget(): void {
    this.#before = undefined;
  }

  /** since the last look; nothing at the first one */
  look(): number {
    const now = this.#read();
    const before = this.#before ?? now;
    this.#before = now;
    return Math.max(0, now.waitedMs - before.waitedMs, now.memoryMs - before.memoryMs);
  }
}
