import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../../core/process-identity.js';
// the file itself, not the folder's door: that one would load the database too
import { livenessOf, readStat } from '../../store/process-table.js';

/** Not proven dead: where a start time is missing, a process with that pid counts. */
export function mayBeAlive(identity: ProcessIdentity): boolean {
  return livenessOf(identity) !== 'dead';
}

/** Our own pid, our parent's, and so on up to the first process that cannot be read. */
export function ancestors(pid: number): readonly number[] {
  const chain: number[] = [];
  for (let next = pid; next > 0 && !chain.includes(next); ) {
    chain.push(next);
    next = readStat(next)?.parentPid ?? 0;
  }
  return chain;
}

/** The text of /proc/self/cgroup; empty where there is none. */
export function ownCgroup(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
