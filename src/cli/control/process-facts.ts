import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../../core/process-identity.js';
// the file itself, not the folder's door: that one would load the database too
import { livenessOf } from '../../store/process-table.js';

export { ancestorsOf as ancestors } from '../../store/process-table.js';

/** Not proven dead: where a start time is missing, a process with that pid counts. */
export function mayBeAlive(identity: ProcessIdentity): boolean {
  return livenessOf(identity) !== 'dead';
}

/** The text of /proc/self/cgroup; empty where there is none. */
export function ownCgroup(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
