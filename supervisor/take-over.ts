import { setTimeout as sleep } from 'node:timers/promises';
import { clampTimerMs, formatDuration } from '../src/core/durations.js';
import { GatewardenError } from '../src/core/errors.js';
import { decideGuard, type GuardFacts, type OwnerFacts } from '../src/core/guard.js';
import { describeOwner, nearnessOf, type Owner } from '../src/core/owner.js';
import { isLockless } from '../src/ownership/check-locking.js';
import { endOwner, TERM_WAIT_MS } from '../src/ownership/end-owner.js';
import { managingUnitOf } from '../src/ownership/managing-unit.js';
import { tellRemedies } from '../src/ownership/refusal.js';
import { isOwnerOf } from '../src/ownership/same-home.js';
import {
  acquireLock,
  ancestorsOf,
  type HeldLock,
  here,
  isAlive,
  livenessOfOwner,
  readJsonFile,
  readOwner,
} from '../src/store/index.js';
import { hintedSupervisor, observeSupervisor } from './observe-supervisor.js';

export interface Claim {
  /** the lock file */
  readonly path: string;
  readonly owner: Owner;
  /** ends the present owner first, when it is proven to be one */
  readonly replace: boolean;
  /** where a running supervisor says who it is */
  readonly hintPath: string;
  readonly markerPath: string;
  /** how long an owner that does not answer yet may take to say that it is healthy, or to go */
  readonly waitMs: number;
}

/** spec/supervision.md 4.3 */
export const CLAIM_WAIT_MS = 5000;
const POLL_MS = 250;
const POLL_JITTER_MS = 100;

export type ClaimOutcome =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  /** this file system has no locks that exclude anybody: the lease alone decides */
  | { readonly kind: 'lockless'; readonly reason: string }
  /** its owner lives in another container or on another machine: nothing here can end it */
  | { readonly kind: 'elsewhere'; readonly owner: Owner };

/**
 * Claims the lock of a supervisor's home.
 * @throws GatewardenError already-running (it is healthy), owner-busy (it does not answer),
 *   home-unusable
 */
export async function claimHome(claim: Claim): Promise<ClaimOutcome> {
  const begunAt = performance.now();
  for (;;) {
    const waitedMs = Math.round(performance.now() - begunAt);
    const outcome = tryClaim(claim);
    if (outcome.kind !== 'taken') return outcome;
    await contend(claim, await observeSupervisor(outcome.owner, claim.hintPath), waitedMs);
    await sleep(POLL_MS + Math.random() * POLL_JITTER_MS);
  }
}

type Tried = ClaimOutcome | { readonly kind: 'taken'; readonly owner: Owner | undefined };

function tryClaim({ hintPath, owner, path }: Claim): Tried {
  const known = knownOwners({ hintPath, owner, path });
  const outcome = acquireLock(path, owner);
  switch (outcome.kind) {
    case 'held': {
      // whoever deleted the lock file freed nothing: its owner still runs and still owns
      const present = known.find(({ identity }) => isAlive(identity));
      if (present === undefined) return outcome;
      outcome.lock.release();
      return { kind: 'taken', owner: present };
    }
    case 'unusable':
      if (isLockless(outcome.errno)) return { kind: 'lockless', reason: outcome.text };
      throw new GatewardenError('home-unusable', {
        path: owner.home,
        reason: `${outcome.text} (lock ${path})`,
        hint: 'put the home on a local, writable file system, or name another one with --home',
      });
    case 'taken': {
      const present = outcome.owner ?? known.find((one) => livenessOfOwner(one) !== 'dead');
      const isElsewhere = present !== undefined && isOutOfSight(present);
      return isElsewhere ? { kind: 'elsewhere', owner: present } : { ...outcome, owner: present };
    }
    default:
      return outcome satisfies never;
  }
}

/** Who may own the home, by what lies beside the lock; read before ours is written there. */
function knownOwners({ path, hintPath, owner }: Pick<Claim, 'path' | 'hintPath' | 'owner'>) {
  const owners = [readOwner(path), hintedSupervisor(hintPath, owner.home)];
  return owners.flatMap((one) =>
    one === undefined || one.identity.pid === owner.identity.pid || !isOwnerOf(one, owner.home)
      ? []
      : [one],
  );
}

function isOutOfSight(owner: Owner): boolean {
  const nearness = nearnessOf(owner, here());
  return nearness === 'same-kernel' || nearness === 'other-machine';
}

/** Returns when it is worth another try. */
async function contend(claim: Claim, own: OwnerFacts, waitedMs: number): Promise<void> {
  const facts: GuardFacts = {
    action: 'up',
    profile: undefined,
    own,
    supervisor: undefined,
    multiplexer: undefined,
    configuration: { multiplexes: false, allowlist: undefined },
    managedBy: own.owner && managingUnitOf(own.owner.identity.pid),
    flags: { force: false, replace: claim.replace, supervisedChild: false },
    isOwnAncestor:
      own.owner !== undefined && ancestorsOf(process.pid).includes(own.owner.identity.pid),
  };
  const decision = decideGuard(facts);
  const { home } = claim.owner;
  const hint = () => tellRemedies(facts, { path: claim.path });
  if (decision.kind === 'replace') {
    const { markerPath, owner } = claim;
    const termWaitMs = ownBudgetMs(claim.hintPath, decision.target);
    const isGone = await endOwner(decision.target, { markerPath, by: owner, termWaitMs });
    if (isGone) return;
    const { pid } = decision.target.identity;
    throw busy(home, own, { waitedMs, hint: `end pid ${pid} as its account, or as root` });
  }
  if (decision.kind === 'refuse' && decision.permanence === 'permanent') {
    throw alreadyRunning(home, decision.by, hint());
  }
  if (waitedMs >= claim.waitMs) throw busy(home, own, { waitedMs, hint: hint() });
}

/** What the owner has told of its own budget. */
function ownBudgetMs(hintPath: string, { identity }: Owner): number {
  const hint = readJsonFile(hintPath);
  if (typeof hint !== 'object' || hint === null) return TERM_WAIT_MS;
  const { pid, stopMs } = hint as Record<string, unknown>;
  return pid === identity.pid && typeof stopMs === 'number' ? clampTimerMs(stopMs) : TERM_WAIT_MS;
}

export function alreadyRunning(
  home: string,
  owner: Owner | undefined,
  hint: string,
): GatewardenError {
  return new GatewardenError('already-running', {
    home,
    owner: describeOwner(owner, here()),
    hint,
  });
}

function busy(
  home: string,
  { answer, owner }: OwnerFacts,
  { hint, waitedMs }: { readonly hint: string; readonly waitedMs: number },
): GatewardenError {
  return new GatewardenError('owner-busy', {
    what: `the home ${home}`,
    owner: describeOwner(owner, here()),
    health: answer === 'silent' ? 'is alive but does not answer' : `is still ${answer}`,
    waited: formatDuration(waitedMs),
    hint,
  });
}
