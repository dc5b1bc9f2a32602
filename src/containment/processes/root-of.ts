import type { Root } from './members.js';
import { readStat } from './proc-scan.js';

/** A child of ours that has just been started: it is not reaped yet, so its number is its own. */
export function rootOf(pid: number | undefined, ownSession: boolean): Root | undefined {
  if (pid === undefined) return undefined;
  return { pid, startTicks: readStat(pid)?.startTicks, ownSession };
}
