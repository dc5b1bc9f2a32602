import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayAssignment, OwnershipGrant } from '../core/assignment.js';
import { GatewardenError } from '../core/errors.js';
import { decideGuard, type GuardDecision, type GuardFacts } from '../core/guard.js';
import { describeOwner, type Owner } from '../core/owner.js';
import { isSameProcess } from '../core/process-identity.js';
import { endOwner, KILL_WAIT_MS, TERM_WAIT_MS } from '../ownership/end-owner.js';
import { managingUnitOf } from '../ownership/managing-unit.js';
import { BeatMemory, observeMultiplexer, observeOwner } from '../ownership/observe.js';
import { type Refusal, refusalError, unendedError } from '../ownership/refusal.js';
import { askRescan } from '../ownership/rescan.js';
import { acquireLock, type HeldLock, type LockOutcome } from '../store/lock.js';
import { here, ownOwner } from '../store/place.js';
import { ancestorsOf } from '../store/process-table.js';

export interface ClaimOptions {
  /** how long a transient owner, or the gateway before us, may take to let go */
  readonly waitMs: number;
  /** told once, when there is somebody to wait for */
  readonly onWait: (owner: string) => void;
  /** told before an owner is ended: so long may that take beside `waitMs` */
  readonly onReplace?: (mayTakeMs: number) => void;
  readonly signal: AbortSignal;
  /** the lock, when this process holds it already: more is known by now, and decides again */
  readonly early?: ClaimedProfile | undefined;
}

/** Whose lock it is. */
type Claimant = Pick<GatewayAssignment, 'home' | 'profile' | 'stateDir' | 'ownership'>;

export interface ClaimedProfile {
  readonly lock: HeldLock;
  /** ourselves, as the lock names us */
  readonly owner: Owner;
}

/** Between two tries; chance keeps two that wait from trying in step (spec/supervision.md 4.3). */
const POLL_MS = 250;
const POLL_JITTER_MS = 100;

/** One sight of a healthy owner may be the last moment of one that is about to go. */
const SIGHTINGS = 2;

const NO_GRANT: OwnershipGrant = {
  supervised: false,
  force: false,
  replace: false,
  replaceWaitMs: TERM_WAIT_MS,
  multiplexes: false,
  allowlist: undefined,
  supervisor: undefined,
  identities: [],
  identityStems: [],
};

/**
 * Makes this process the profile's only gateway, before anything of it is opened. What lives is
 * asked; the kernel's lock has the last word.
 * @throws GatewardenError gateway-already-running, profile-served, profile-not-taken (no retry
 *   helps), owner-busy (one may), home-unusable, io-failed
 */
export async function claimProfile(
  assignment: Claimant,
  options: ClaimOptions,
): Promise<ClaimedProfile> {
  return await new Claiming(assignment, options).claim();
}

class Claiming {
  readonly #assignment: Claimant;
  readonly #options: ClaimOptions;
  readonly #grant: OwnershipGrant;
  readonly #owner: Owner;
  readonly #path: string;
  readonly #begunAt = performance.now();
  readonly #beats = new BeatMemory();
  #hasTold = false;
  #sightings = 0;
  #hasRescanned = false;
  #facts: GuardFacts | undefined;

  constructor(assignment: Claimant, options: ClaimOptions) {
    this.#assignment = assignment;
    this.#options = options;
    this.#grant = assignment.ownership ?? NO_GRANT;
    this.#owner = ownOwner(assignment.home, assignment.profile);
    this.#path = join(assignment.stateDir, 'gateway.lock');
  }

  async claim(): Promise<ClaimedProfile> {
    const { early } = this.#options;
    for (let first = early && heldAlready(early); ; first = undefined) {
      const outcome = first ?? acquireLock(this.#path, this.#owner);
      if (outcome.kind === 'unusable') throw unusable(this.#path, outcome);
      const decision = await this.#decideOrFree(outcome);
      if (outcome.kind === 'held' && decision.kind === 'start') {
        return { lock: outcome.lock, owner: this.#owner };
      }
      if (outcome.kind === 'held') outcome.lock.release();
      await this.#follow(decision);
    }
  }

  /** A look around that fails must not keep the lock. */
  async #decideOrFree(outcome: Usable): Promise<GuardDecision> {
    try {
      this.#options.signal.throwIfAborted();
      this.#facts = await this.#gather(outcome);
      return decideGuard(this.#facts);
    } catch (thrown) {
      if (outcome.kind === 'held') outcome.lock.release();
      throw thrown;
    }
  }

  async #gather(outcome: Usable): Promise<GuardFacts> {
    const { home, profile } = this.#assignment;
    const { allowlist, multiplexes, supervised, supervisor, force, replace } = this.#grant;
    const own =
      outcome.kind === 'held'
        ? undefined
        : await observeOwner(this.#recordPath, { holder: outcome.owner, beats: this.#beats });
    // our supervisor knows whom it has served where; the lock has the last word all the same
    const multiplexer = supervised ? undefined : await observeMultiplexer(home);
    const isOurs =
      multiplexer?.owner !== undefined &&
      isSameProcess(multiplexer.owner.identity, this.#owner.identity);
    return {
      action: 'run',
      profile,
      own,
      supervisor,
      multiplexer: isOurs
        ? undefined
        : multiplexer && { ...multiplexer, hasRescanned: this.#hasRescanned },
      configuration: { multiplexes, allowlist },
      managedBy: own?.owner && managingUnitOf(own.owner.identity.pid),
      flags: { force, replace, supervisedChild: supervised },
      isOwnAncestor: own?.owner !== undefined && isAncestor(own.owner),
    };
  }

  async #follow(decision: GuardDecision): Promise<void> {
    switch (decision.kind) {
      case 'start':
        // the lock is held, by one that is dying or not yet known
        return await this.#waitFor({
          kind: 'refuse',
          permanence: 'transient',
          because: 'silent',
          by: undefined,
        });
      case 'replace':
        return await this.#replace(decision.target);
      case 'attach':
        if (decision.rescanFirst) return await this.#rescan();
        throw this.#refusal({
          kind: 'refuse',
          permanence: 'permanent',
          because: 'served',
          by: decision.to,
        });
      case 'refuse':
        return await this.#waitFor(decision);
      default:
        return decision satisfies never;
    }
  }

  async #waitFor(refusal: Refusal): Promise<void> {
    this.#sightings = refusal.permanence === 'permanent' ? this.#sightings + 1 : 0;
    const isSure = refusal.because !== 'running' || this.#sightings >= SIGHTINGS;
    if (refusal.permanence === 'permanent' && isSure) throw this.#refusal(refusal);
    // a starved owner is told from a frozen one by its beat alone
    const isOpen = refusal.because === 'silent' && this.#beats.isUndecided();
    if (this.#waitedMs >= this.#options.waitMs && !isOpen) throw this.#refusal(refusal);
    if (!this.#hasTold) this.#options.onWait(describeOwner(refusal.by, here()));
    this.#hasTold = true;
    const { signal } = this.#options;
    await delay(POLL_MS + Math.random() * POLL_JITTER_MS, undefined, { signal });
  }

  /** It would serve us once it has read what is configured now. */
  async #rescan(): Promise<void> {
    await askRescan(this.#assignment.home);
    this.#hasRescanned = true;
  }

  async #replace(target: Owner): Promise<void> {
    const markerPath = join(this.#assignment.stateDir, 'gateway.takeover.json');
    const { onReplace, onWait, signal } = this.#options;
    const termWaitMs = this.#grant.replaceWaitMs;
    onWait(describeOwner(target, here()));
    onReplace?.(termWaitMs + KILL_WAIT_MS);
    const isGone = await endOwner(target, { markerPath, by: this.#owner, termWaitMs, signal });
    if (isGone) return;
    const { profile } = this.#assignment;
    throw unendedError(target, { profile, path: this.#path, waitedMs: this.#waitedMs });
  }

  #refusal(refusal: Refusal): GatewardenError {
    const facts = this.#facts;
    if (facts === undefined) throw new Error('refused before anything was looked at');
    const { profile } = this.#assignment;
    return refusalError(refusal, { profile, path: this.#path, waitedMs: this.#waitedMs, facts });
  }

  get #recordPath(): string {
    return join(this.#assignment.stateDir, 'gateway.json');
  }

  get #waitedMs(): number {
    return Math.round(performance.now() - this.#begunAt);
  }
}

function heldAlready({ lock }: ClaimedProfile): LockOutcome {
  return { kind: 'held', lock };
}

type Usable = Exclude<LockOutcome, { kind: 'unusable' }>;
type Unusable = Extract<LockOutcome, { kind: 'unusable' }>;

function isAncestor({ identity }: Owner): boolean {
  return ancestorsOf(process.pid).includes(identity.pid);
}

/** Faults of the disk that may pass; all others need an operator. */
const PASSING_ERRNOS: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
]);

function unusable(path: string, { errno, text }: Unusable): GatewardenError {
  if (PASSING_ERRNOS.has(errno)) {
    const hint = 'free space on its disk, or look at its health';
    return new GatewardenError('io-failed', { what: `cannot lock ${path}`, reason: text, hint });
  }
  const hint = `make ${path} a file that this user can read and write`;
  return new GatewardenError('home-unusable', { path, reason: `${errno}: ${text}`, hint });
}
