import type { ProcessIdentity } from '../../core/process-identity.js';
import { livenessOf } from '../../store/process-table.js';

/** At an exit that waits for nothing: the session that a process leads, if it is still that one. */
export function killSession(identity: ProcessIdentity): void {
  // 0 and 1 would mean our own group and everybody
  if (identity.pid <= 1 || livenessOf(identity) !== 'alive') return;
  try {
    process.kill(-identity.pid, 'SIGKILL');
  } catch {
    // ESRCH: the group is empty, which is what was wanted
  }
}
