import { setTimeout as sleep } from 'node:timers/promises';
import { clampTimerMs } from '../src/core/durations.js';
import { GatewardenError } from '../src/core/errors.js';
import {
  acquireLock,
  type HeldLock,
  isAlive,
  type LockOwner,
  readJsonFile,
  readOwner,
} from '../src/store/index.js';

/**
 * How long a replaced owner may take after SIGTERM, unless it has told its own budget (field case
 * D14); then after SIGKILL (supervision.md 4.7).
 */
const TERM_WAIT_MS = 10_000;
const KILL_WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

export interface Claim {
  /** the lock file */
  readonly path: string;
  readonly owner: LockOwner;
  /** ends the present owner first, when it is proven to be one */
  readonly replace: boolean;
  /** where a running supervisor says who it is */
  readonly hintPath: string;
}

/**
 * Claims the lock of a supervisor's home.
 * @throws GatewardenError already-running, home-unusable
 */
export async function claimHome(claim: Claim): Promise<HeldLock> {
  const { path, owner, replace } = claim;
  const known = knownOwners(claim);
  const outcome = acquireLock(path, owner);
  switch (outcome.kind) {
    case 'held': {
      // whoever deleted the lock file freed nothing: its owner still runs and still owns
      const present = known.find(({ identity }) => isAlive(identity));
      if (present === undefined) return outcome.lock;
      outcome.lock.release();
      return await contend(claim, present);
    }
    case 'unusable':
      throw new GatewardenError('home-unusable', {
        path: owner.home,
        reason: `${outcome.text} (lock ${path})`,
        hint: 'put the home on a local, writable file system, or name another one with --home',
      });
    case 'taken':
      if (replace && outcome.owner !== undefined) return await contend(claim, outcome.owner);
      throw alreadyRunning(owner.home, outcome.owner);
    default:
      return outcome satisfies never;
  }
}

/** Who may own the home, by what lies beside the lock; read before ours is written there. */
function knownOwners({ path, hintPath, owner }: Claim): LockOwner[] {
  const owners = [readOwner(path), hintedOwner(hintPath, owner.home)];
  return owners.flatMap((one) =>
    one === undefined || one.identity.pid === owner.identity.pid ? [] : [one],
  );
}

function hintedOwner(hintPath: string, home: string): LockOwner | undefined {
  const hint = readJsonFile(hintPath);
  if (typeof hint !== 'object' || hint === null) return undefined;
  const { pid, startTicks, bootId, startedAt } = hint as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof startTicks !== 'number') return undefined;
  return {
    identity: { pid, startTicks, bootId: typeof bootId === 'string' ? bootId : undefined },
    home,
    startedAt: Date.parse(String(startedAt)),
  };
}

async function contend(claim: Claim, present: LockOwner): Promise<HeldLock> {
  if (!claim.replace) throw alreadyRunning(claim.owner.home, present);
  return await replaceOwner(claim, present);
}

/** A drain that is still within its own budget is no reason to kill. */
function termWaitMs(hintPath: string, { identity }: LockOwner): number {
  const hint = readJsonFile(hintPath);
  if (typeof hint !== 'object' || hint === null) return TERM_WAIT_MS;
  const { pid, stopMs } = hint as Record<string, unknown>;
  return pid === identity.pid && typeof stopMs === 'number' ? clampTimerMs(stopMs) : TERM_WAIT_MS;
}

async function replaceOwner(claim: Claim, present: LockOwner): Promise<HeldLock> {
  const { path, owner, hintPath } = claim;
  for (const [signal, waitMs] of [
    ['SIGTERM', termWaitMs(hintPath, present)],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (isAlive(present.identity)) process.kill(present.identity.pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      const outcome = isAlive(present.identity) ? undefined : acquireLock(path, owner);
      if (outcome?.kind === 'held') return outcome.lock;
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
