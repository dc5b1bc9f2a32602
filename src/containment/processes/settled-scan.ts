import { readFileSync } from 'node:fs';
import { isDeadState, type ProcStat } from '../../core/proc-stat.js';
import { type Membership, pickMembers } from './members.js';
import { readScope, readStat, scanProcesses } from './proc-scan.js';

export interface Found {
  readonly members: readonly ProcStat[];
  /** nothing was born that was not looked at: an empty list then means that nobody lives */
  readonly isSettled: boolean;
}

/** Births that are followed one by one; after more a fresh walk is cheaper. */
const MAX_BORN = 4096;
const MAX_ROUNDS = 100;
const MAX_WALKS = 3;

/**
 * Finds a tree's processes by a walk over /proc, and then looks at everything that was born
 * during the walk. One that forks and ends every few milliseconds would be ahead of any walk:
 * listed, but dead when it is read, while its child is not in the list.
 */
export function findSettled(membership: Membership): Found {
  for (let walk = 1; ; walk++) {
    const found = walkOnce(membership);
    if (found.isSettled || found.members.length > 0 || walk >= MAX_WALKS) return found;
  }
}

function walkOnce(membership: Membership): Found {
  const scopes = new Map<number, string | undefined>();
  const scopeOf = (pid: number) => {
    if (!scopes.has(pid)) scopes.set(pid, readScope(pid));
    return scopes.get(pid);
  };
  const pick = (snapshot: readonly ProcStat[]) =>
    pickMembers(snapshot, membership, { selfPid: process.pid, scopeOf });
  let newest = newestPid();
  const snapshot = scanProcesses();
  let members = pick(snapshot);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = newestPid();
    // where the kernel does not tell, a walk is all there is
    if (now === newest || now === undefined || newest === undefined) {
      return { members, isSettled: true };
    }
    // the numbers began anew, or too many were used
    if (now < newest || now - newest > MAX_BORN) break;
    for (let pid = newest + 1; pid <= now; pid++) {
      const born = readProcess(pid);
      if (born === undefined) continue;
      // at once: in a moment it may be gone, with its environment
      scopeOf(pid);
      snapshot.push(born);
    }
    members = pick(snapshot);
    newest = now;
  }
  return { members, isSettled: false };
}

/** The number given last to a process or a thread: the fifth field of /proc/loadavg. */
function newestPid(): number | undefined {
  const text = readText('/proc/loadavg');
  const pid = Number(text?.trim().split(' ')[4]);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** undefined: dead, or a thread, which can be read by its number although no list shows it. */
function readProcess(pid: number): ProcStat | undefined {
  const stat = readStat(pid);
  if (stat === undefined || isDeadState(stat.state)) return undefined;
  const leader = /^Tgid:\s*(\d+)$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(leader) === pid ? stat : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
