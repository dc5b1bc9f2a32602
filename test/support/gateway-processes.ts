import { readStat } from '../../src/store/process-table.js';

/** Runs: a zombie counts as dead, because it holds nothing any more. */
export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && !stat.dead;
}
