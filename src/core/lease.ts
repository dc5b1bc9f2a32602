import type { Nearness, Owner, OwnerLiveness } from './owner.js';

/**
 * Who owns a home where a kernel's lock may not reach: another machine on one network volume.
 * The lease is a record with a beat; every decision about it is here, the clock is passed in.
 */
export interface LeaseRecord {
  /** grows by one with each new owner and never goes back */
  readonly generation: number;
  readonly owner: Owner;
  readonly beatEveryMs: number;
  /** its owner ended in good order */
  readonly isReleased: boolean;
}

export const LEASE_TIMES = Object.freeze({
  /** often enough that a take-over takes half a minute, seldom enough that nobody notices */
  beatEveryMs: 5000,
  /** an owner that cannot renew for so many beats ends its gateways: before anybody takes over */
  fenceAfterBeats: 3,
  /** and only after so many may another take over: the rest is time to end them in */
  staleAfterBeats: 6,
});

export interface LeaseFacts {
  readonly present: LeaseRecord | undefined;
  readonly nearness: Nearness;
  readonly liveness: OwnerLiveness;
  /** `held`: the kernel's lock is ours; `broken`: this file system's locks exclude nobody */
  readonly lock: 'held' | 'broken';
  /** `local`: only processes of this kernel can reach the files */
  readonly storage: 'local' | 'shared';
  /** for how long we have watched the same beat, by our own clock */
  readonly unchangedMs: number;
  readonly staleAfterBeats: number;
}

export type LeaseDecision =
  | { readonly kind: 'take' }
  /** its owner lives, beyond doubt */
  | { readonly kind: 'owned' }
  /** it may live: ask again after this time at the latest */
  | { readonly kind: 'watch'; readonly remainingMs: number };

export function decideLease(facts: LeaseFacts): LeaseDecision {
  const { lock, nearness, present, storage } = facts;
  if (present === undefined || present.isReleased) return TAKE;
  switch (nearness) {
    case 'same-table':
      return judgeVisible(facts, present);
    case 'same-kernel':
      // its death is what freed the lock
      return lock === 'held' ? TAKE : judgeBeat(facts, present);
    case 'earlier-boot':
    case 'other-machine':
      // a machine that was copied has the name of its original: on shared storage only the
      // beat tells; a disk of our own nobody else can reach while we hold the lock
      return storage === 'local' && lock === 'held' ? TAKE : judgeBeat(facts, present);
    default:
      return nearness satisfies never;
  }
}

function judgeVisible(facts: LeaseFacts, present: LeaseRecord): LeaseDecision {
  if (facts.liveness === 'dead') return TAKE;
  // the lock is ours all the same: its file was removed under a living owner
  if (facts.liveness === 'alive') return { kind: 'owned' };
  return facts.lock === 'held' ? TAKE : judgeBeat(facts, present);
}

/** Two clocks are never compared: we watch whether the beat moves, by our own. */
function judgeBeat(
  { staleAfterBeats, unchangedMs }: LeaseFacts,
  { beatEveryMs }: LeaseRecord,
): LeaseDecision {
  const remainingMs = staleAfterBeats * beatEveryMs - unchangedMs;
  return remainingMs <= 0 ? TAKE : { kind: 'watch', remainingMs };
}

const TAKE: LeaseDecision = { kind: 'take' };

export interface TenureFacts {
  readonly own: number;
  /** the highest generation that is there; undefined: the files cannot be read now */
  readonly highest: number | undefined;
  readonly sinceRenewedMs: number;
  readonly beatEveryMs: number;
  readonly fenceAfterBeats: number;
  readonly storage: 'local' | 'shared';
}

/** What an owner finds when it renews: `fenced` owners end their gateways at once. */
export function judgeTenure(facts: TenureFacts): 'kept' | 'taken' | 'fenced' {
  const { beatEveryMs, fenceAfterBeats, highest, own, sinceRenewedMs, storage } = facts;
  if (highest !== undefined && highest > own) return 'taken';
  // on a disk of our own the kernel's lock stands for us, whatever cannot be written
  if (storage === 'local') return 'kept';
  return sinceRenewedMs >= fenceAfterBeats * beatEveryMs ? 'fenced' : 'kept';
}
