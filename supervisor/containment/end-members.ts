import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcStat } from '../../src/core/proc-stat.js';
import { type Membership, pickMembers } from './members.js';
import { readScope, readStat, scanProcesses } from './proc-scan.js';

export interface EndingTimes {
  /** between SIGTERM and SIGKILL */
  readonly graceMs: number;
  /** after this the survivors are given up and reported; a teardown never blocks recovery */
  readonly giveUpMs: number;
  /** how often the tree is looked at while it dies */
  readonly lookEveryMs: number;
}

export interface Ending {
  /** pids that got a signal */
  readonly signalled: readonly number[];
  /** still alive when it was given up */
  readonly survivors: readonly number[];
}

/** Every living member, found afresh. */
export function findMembers(membership: Membership): ProcStat[] {
  const snapshot = scanProcesses();
  return pickMembers(snapshot, membership, { selfPid: process.pid, scopeOf: readScope });
}

/**
 * Ends every member: SIGTERM, grace, then SIGKILL over fresh snapshots until none is left
 * (a tree may fork while it dies). Start times are compared before every signal, so a reused
 * pid is never hit. Returns as soon as all are dead.
 */
export async function endMembers(membership: Membership, times: EndingTimes): Promise<Ending> {
  const signalled = new Set<number>();
  const startedAt = performance.now();
  let alive = findMembers(membership);
  if (alive.length > 0 && times.graceMs > 0) {
    signalAll(alive, 'SIGTERM', signalled);
    // a stopped process acts on SIGTERM only once it runs again
    signalAll(alive, 'SIGCONT', signalled);
    alive = await waitUntilGone(membership, alive, times, times.graceMs);
  }
  while (alive.length > 0 && performance.now() - startedAt < times.giveUpMs) {
    signalAll(alive, 'SIGKILL', signalled);
    alive = await waitUntilGone(membership, alive, times, times.lookEveryMs);
  }
  return { signalled: [...signalled], survivors: alive.map((process) => process.pid) };
}

async function waitUntilGone(
  membership: Membership,
  members: readonly ProcStat[],
  times: EndingTimes,
  limitMs: number,
): Promise<ProcStat[]> {
  const deadline = performance.now() + limitMs;
  let alive = members.filter(isStillThere);
  while (alive.length > 0 && performance.now() < deadline) {
    await sleep(Math.min(times.lookEveryMs, Math.max(1, deadline - performance.now())));
    alive = alive.filter(isStillThere);
  }
  return findMembers(membership);
}

function isStillThere(member: ProcStat): boolean {
  const now = readStat(member.pid);
  return now !== undefined && now.startTicks === member.startTicks && now.state !== 'Z';
}

function signalAll(
  members: readonly ProcStat[],
  signal: NodeJS.Signals,
  signalled: Set<number>,
): void {
  for (const member of members) {
    if (!isStillThere(member)) continue;
    try {
      process.kill(member.pid, signal);
      signalled.add(member.pid);
    } catch {
      // gone in between, or not ours to signal: the next snapshot tells
    }
  }
}
