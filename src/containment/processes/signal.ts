import { isDeadState } from '../../core/proc-stat.js';
import type { ScopeMember } from '../port.js';
import { readStat } from './proc-scan.js';

/** Alive, and the same process as then; a zombie is dead. */
export function isStillThere({ pid, startTicks }: ScopeMember): boolean {
  const now = readStat(pid);
  return now !== undefined && now.startTicks === startTicks && !isDeadState(now.state);
}

/** Signals those that are still who they were. @returns the pids that got it */
export function signalMembers(members: readonly ScopeMember[], signal: NodeJS.Signals): number[] {
  return members
    .filter((member) => isStillThere(member) && trySignal(member.pid, signal))
    .map(({ pid }) => pid);
}

function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false; // gone in between, or not ours to signal: the next snapshot tells
  }
}
