import type { ChildProcess } from 'node:child_process';
import { clampTimerMs } from '../../../core/durations.js';

/**
 * Ends a program that leads its own session, with everything it started in it: politely, then
 * for certain. Resolves when the leader is gone.
 */
export async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  signalGroup(child.pid, 'SIGTERM');
  await exited(child, graceMs);
  // also when the leader is gone: the members that outlive it are what this is about
  signalGroup(child.pid, 'SIGKILL');
  await exited(child, graceMs);
}

/**
 * Remembers a group until the returned function is called: when the gateway leaves by an exit
 * that waits for nothing, the groups it knows are ended with it.
 */
export function guardGroup(leaderPid: number): () => void {
  guarded.add(leaderPid);
  if (guarded.size === 1) process.on('exit', killGuarded);
  return () => {
    if (guarded.delete(leaderPid) && guarded.size === 0) process.off('exit', killGuarded);
  };
}

const guarded = new Set<number>();

function killGuarded(): void {
  for (const pid of guarded) signalGroup(pid, 'SIGKILL');
}

function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  // 0 and 1 would mean our own group and everybody
  if (leaderPid <= 1) return;
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // ESRCH: the group is empty, which is what was wanted
  }
}

function exited(child: ChildProcess, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const settle = () => {
      clearTimeout(timer);
      child.off('exit', settle);
      resolve();
    };
    const timer = setTimeout(settle, clampTimerMs(limitMs));
    child.once('exit', settle);
  });
}
