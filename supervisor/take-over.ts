import { setTimeout as sleep } from 'node:timers/promises';
import { GatewardenError } from '../src/core/errors.js';
import { acquireLock, type HeldLock, isAlive, type LockOwner } from '../src/store/index.js';

/** How long a replaced owner may take after SIGTERM, then after SIGKILL (supervision.md 4.7). */
const TERM_WAIT_MS = 10_000;
const KILL_WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

/**
 * Claims the lock of a supervisor's home.
 * @param replace ends the present owner first, when it is proven to be one
 * @throws GatewardenError already-running, home-unusable
 */
export async function claimHome(
  path: string,
  owner: LockOwner,
  replace: boolean,
): Promise<HeldLock> {
  const outcome = acquireLock(path, owner);
  switch (outcome.kind) {
    case 'held':
      return outcome.lock;
    case 'unusable':
      throw new GatewardenError('home-unusable', {
        path: owner.home,
        reason: `${outcome.text} (lock ${path})`,
        hint: 'put the home on a local, writable file system, or name another one with --home',
      });
    case 'taken':
      if (replace && outcome.owner !== undefined)
        return await replaceOwner(path, owner, outcome.owner);
      throw alreadyRunning(owner.home, outcome.owner);
    default:
      return outcome satisfies never;
  }
}

async function replaceOwner(path: string, owner: LockOwner, present: LockOwner): Promise<HeldLock> {
  for (const [signal, waitMs] of [
    ['SIGTERM', TERM_WAIT_MS],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (isAlive(present.identity)) process.kill(present.identity.pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      const outcome = acquireLock(path, owner);
      if (outcome.kind === 'held') return outcome.lock;
      await sleep(LOOK_EVERY_MS);
    }
  }
  throw alreadyRunning(owner.home, present);
}

function alreadyRunning(home: string, owner: LockOwner | undefined): GatewardenError {
  return new GatewardenError('already-running', {
    home,
    pid: owner === undefined ? 'unknown' : String(owner.identity.pid),
    since: owner === undefined ? 'unknown' : new Date(owner.startedAt).toISOString(),
  });
}
