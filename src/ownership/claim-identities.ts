import { setTimeout as delay } from 'node:timers/promises';
import type { OwnedIdentity } from '../core/assignment.js';
import { GatewardenError } from '../core/errors.js';
import { describeOwner, type Owner } from '../core/owner.js';
import { acquireLock, type HeldLock } from '../store/lock.js';
import { here } from '../store/place.js';
import { identityLockPath, identityMark } from './identity-places.js';

/** The same as for a profile's own lock (spec/supervision.md 4.3). */
const POLL_MS = 250;
const POLL_JITTER_MS = 100;

export interface IdentityClaim {
  readonly owner: Owner;
  readonly stems: readonly string[];
  /** a live owner stops a start for good; one that runs already may wait for it to go */
  readonly when: 'start' | 'running';
}

export interface ClaimedIdentities {
  /** may be called twice */
  release(): void;
}

/**
 * Claims accounts of platforms for the whole machine, all or none. Waits a little for an owner
 * that may be on its way out.
 * @throws GatewardenError identity-taken (at a start), identity-busy (mid-run), lock-unusable
 */
export async function claimIdentities(
  identities: readonly OwnedIdentity[],
  claim: IdentityClaim & { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<ClaimedIdentities> {
  const deadline = performance.now() + claim.waitMs;
  for (;;) {
    try {
      return claimIdentitiesNow(identities, claim);
    } catch (thrown) {
      if (!isConflict(thrown) || performance.now() >= deadline) throw thrown;
    }
    await delay(POLL_MS + Math.random() * POLL_JITTER_MS, undefined, { signal: claim.signal });
  }
}

/** The same without a wait. */
export function claimIdentitiesNow(
  identities: readonly OwnedIdentity[],
  claim: IdentityClaim,
): ClaimedIdentities {
  const held: HeldLock[] = [];
  const release = () => {
    for (const lock of held.splice(0)) lock.release();
  };
  try {
    for (const one of identities) held.push(...claimOne(one, claim));
    return { release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** In every place that can be used; a claim that can be made nowhere would protect nobody. */
function claimOne(owned: OwnedIdentity, claim: IdentityClaim): HeldLock[] {
  const held: HeldLock[] = [];
  const faults: { readonly path: string; readonly reason: string }[] = [];
  for (const stem of claim.stems) {
    const path = identityLockPath(stem, owned);
    const outcome = claimPath(path, claim.owner);
    switch (outcome.kind) {
      case 'held':
        held.push(outcome.lock);
        break;
      case 'taken':
        for (const lock of held) lock.release();
        throw conflict(owned, claim, outcome.owner);
      case 'unusable':
        faults.push({ path, reason: `${outcome.errno}: ${outcome.text}` });
        break;
      default:
        outcome satisfies never;
    }
  }
  const [fault] = faults;
  if (held.length > 0 || fault === undefined) return held;
  const hint = 'set GATEWARDEN_GATEWAY_LOCK_DIR to a directory where this user may write';
  throw new GatewardenError('lock-unusable', { ...fault, hint });
}

/** What this process has claimed, and how often: the same profile may always claim again. */
const claimedHere = new Map<string, { readonly owner: Owner; lock: HeldLock; count: number }>();

type PathOutcome = ReturnType<typeof acquireLock>;

function claimPath(path: string, owner: Owner): PathOutcome {
  const present = claimedHere.get(path);
  if (present !== undefined) {
    // two profiles in one process are still two
    if (present.owner.profile !== owner.profile || present.owner.home !== owner.home) {
      return { kind: 'taken', owner: present.owner };
    }
    present.count++;
    return { kind: 'held', lock: counted(path) };
  }
  const outcome = acquireLock(path, owner, { isShared: true });
  if (outcome.kind !== 'held') return outcome;
  claimedHere.set(path, { owner, lock: outcome.lock, count: 1 });
  return { kind: 'held', lock: counted(path) };
}

function counted(path: string): HeldLock {
  let isReleased = false;
  return {
    release() {
      const present = claimedHere.get(path);
      if (isReleased || present === undefined) return;
      isReleased = true;
      present.count--;
      if (present.count > 0) return;
      claimedHere.delete(path);
      present.lock.release();
    },
  };
}

function conflict(
  owned: OwnedIdentity,
  { owner, when }: IdentityClaim,
  by: Owner | undefined,
): GatewardenError {
  return new GatewardenError(when === 'start' ? 'identity-taken' : 'identity-busy', {
    profile: owner.profile ?? 'unknown',
    scope: owned.scope,
    mark: identityMark(owned),
    owner: describeOwner(by, here()),
  });
}

function isConflict(thrown: unknown): boolean {
  return (
    thrown instanceof GatewardenError &&
    (thrown.code === 'identity-taken' || thrown.code === 'identity-busy')
  );
}
