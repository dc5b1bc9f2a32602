import { readFileSync } from 'node:fs';
import { errnoOf } from '../../core/errors.js';
import { isDeadState, type ProcStat, parseProcStat } from '../../core/proc-stat.js';
import type { ProcessIdentity } from '../../core/process-identity.js';

/** /proc/PID/stat of a process that is alive; undefined when it is not, or there is no /proc. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return stat === undefined || isDeadState(stat.state) ? undefined : stat;
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that a file names still lives. Its start time must fit where both
 * sides know it: pids are reused (field case C2).
 */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = readProcStat(identity.pid);
  if (stat !== undefined) {
    if (identity.bootId !== undefined && identity.bootId !== bootId()) return false;
    return identity.startTicks === undefined || identity.startTicks === stat.startTicks;
  }
  return process.platform !== 'linux' && answersSignal(identity.pid);
}

/** Our own pid, our parent's, and so on up to the first process that cannot be read. */
export function ancestors(pid: number): readonly number[] {
  const chain: number[] = [];
  for (let next = pid; next > 0 && !chain.includes(next); ) {
    chain.push(next);
    next = readProcStat(next)?.ppid ?? 0;
  }
  return chain;
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return errnoOf(thrown) === 'EPERM';
  }
}
