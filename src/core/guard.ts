import { DEFAULT_PROFILE } from './names.js';
import type { Owner, OwnerLiveness } from './owner.js';
import { isSameProcess } from './process-identity.js';

/**
 * The one decision about who may run a profile (design §9, spec/supervision.md 1.5, 4.2, 4.3).
 * Every fact is passed in; what a live process says beats what a configuration says.
 */

/** `run`: a gateway process that wants to begin; `supervise`: a supervisor about to spawn one. */
export type GuardAction = 'run' | 'supervise' | 'start' | 'restart' | 'install' | 'up';

/** What an owner said when it was asked, or what its record says while its beat is fresh. */
export type Answer = 'serving' | 'starting' | 'draining' | 'silent';

export interface OwnerFacts {
  /** undefined: the kernel's lock is held, by a process that left no record yet */
  readonly owner: Owner | undefined;
  readonly liveness: OwnerLiveness;
  readonly answer: Answer;
}

/** The gateway of the default profile, which may serve others. */
export interface MultiplexerFacts extends OwnerFacts {
  /** undefined: neither an answer nor a record of this very process tells */
  readonly served: readonly string[] | undefined;
  /** false: it runs for itself alone, and refuses nobody */
  readonly isMultiplexer: boolean | undefined;
  /** it was told to look again after the configuration changed, and this is what it serves now */
  readonly hasRescanned: boolean;
}

/** What would start an owner again that is ended beside it. */
export interface ManagingUnit {
  readonly name: string;
  /** the command line that ends it for good */
  readonly stopWith: string;
}

export interface GuardFacts {
  readonly action: GuardAction;
  /** undefined: the supervisor's own home */
  readonly profile: string | undefined;
  /** who holds the lock that we want */
  readonly own: OwnerFacts | undefined;
  /** the live supervisor of this home, when it runs this profile and is not our parent */
  readonly supervisor: Owner | undefined;
  readonly multiplexer: MultiplexerFacts | undefined;
  readonly configuration: {
    readonly multiplexes: boolean;
    /** undefined: everybody */
    readonly allowlist: readonly string[] | undefined;
  };
  /** the unit that runs the owner; never our own */
  readonly managedBy: ManagingUnit | undefined;
  readonly flags: {
    readonly force: boolean;
    readonly replace: boolean;
    /** started by the supervisor that owns this home */
    readonly supervisedChild: boolean;
  };
  /** the owner is our own ancestor: ending it would end us */
  readonly isOwnAncestor: boolean;
}

export type RefusalReason =
  /** the multiplexer serves it */
  | 'served'
  /** it should, looked again, and does not */
  | 'not-taken'
  | 'multiplexer-silent'
  | 'supervised'
  | 'managed'
  | 'running'
  | 'starting'
  | 'draining'
  | 'silent'
  | 'elsewhere';

export type GuardDecision =
  | { readonly kind: 'start' }
  /** nothing to start: the multiplexer does, or will once it has looked again */
  | { readonly kind: 'attach'; readonly rescanFirst: boolean; readonly to: Owner | undefined }
  | { readonly kind: 'replace'; readonly target: Owner }
  | {
      readonly kind: 'refuse';
      /** permanent: no retry cures it while its cause stays; transient: waiting may */
      readonly permanence: 'transient' | 'permanent';
      readonly because: RefusalReason;
      readonly by: Owner | undefined;
    };

export function decideGuard(facts: GuardFacts): GuardDecision {
  return judgeMultiplexer(facts) ?? judgeRunners(facts) ?? judgeOwner(facts) ?? { kind: 'start' };
}

function judgeMultiplexer(facts: GuardFacts): GuardDecision | undefined {
  const { profile, multiplexer: host, flags } = facts;
  if (profile === undefined || profile === DEFAULT_PROFILE) return undefined;
  if (host === undefined || host.liveness === 'dead' || host.isMultiplexer === false) {
    return undefined;
  }
  // no flag breaks a lock, and to end its holder would end everybody whom that serves
  if (isHeldByHost(facts)) return whenHeld(facts, host);
  if (flags.force) return undefined;
  if (host.served?.includes(profile)) return whenServed(facts, host);
  // one that serves somebody is one; otherwise only the configuration could tell, and what a
  // live process leaves open is asked again, not guessed
  if (host.isMultiplexer === undefined || host.served === undefined) {
    if (!facts.configuration.multiplexes) return undefined;
    return refuse('transient', 'multiplexer-silent', host.owner);
  }
  if (!isAllowed(facts, profile)) return undefined;
  if (host.hasRescanned) return refuse('permanent', 'not-taken', host.owner);
  if (host.answer !== 'serving') return refuse('transient', 'multiplexer-silent', host.owner);
  return rescan(host);
}

/** Who serves a profile holds the lock of it too. */
export function isHeldByHost({ multiplexer, own }: GuardFacts): boolean {
  if (own?.owner === undefined || multiplexer?.owner === undefined) return false;
  return isSameProcess(own.owner.identity, multiplexer.owner.identity);
}

function whenHeld(facts: GuardFacts, host: MultiplexerFacts): GuardDecision {
  const { profile = '' } = facts;
  if (host.served?.includes(profile) !== false) return whenServed(facts, host);
  // on its way in, or out
  return refuse('transient', isAllowed(facts, profile) ? 'starting' : 'draining', host.owner);
}

/** A process of its own, or a unit for one, would fight the one that serves it. */
function whenServed(facts: GuardFacts, host: MultiplexerFacts): GuardDecision {
  const { action, profile } = facts;
  // who was taken out is let go of by one that looks again
  const mayLetGo = !host.hasRescanned && host.answer === 'serving';
  if (mayLetGo && !isAllowed(facts, profile)) return rescan(host);
  return action === 'run' || action === 'install'
    ? refuse('permanent', 'served', host.owner)
    : { kind: 'attach', rescanFirst: false, to: host.owner };
}

function rescan({ owner }: MultiplexerFacts): GuardDecision {
  return { kind: 'attach', rescanFirst: true, to: owner };
}

function isAllowed({ configuration }: GuardFacts, profile: string | undefined): boolean {
  const { multiplexes, allowlist } = configuration;
  if (!multiplexes || profile === undefined) return false;
  return allowlist === undefined || allowlist.includes(profile);
}

/** Supervisors and service managers would only start it again. */
function judgeRunners(facts: GuardFacts): GuardDecision | undefined {
  const { action, flags, managedBy, supervisor } = facts;
  if (flags.supervisedChild || (action !== 'run' && action !== 'install')) return undefined;
  if (supervisor !== undefined) return refuse('permanent', 'supervised', supervisor);
  if (managedBy === undefined || !flags.replace || flags.force) return undefined;
  return refuse('transient', 'managed', facts.own?.owner);
}

/** The lock decides, whatever is forced: two owners of one state would destroy it. */
function judgeOwner({ action, flags, isOwnAncestor, own }: GuardFacts): GuardDecision | undefined {
  // a unit may be written while a gateway runs; and a supervisor's child meets the lock itself
  if (own === undefined || own.liveness === 'dead' || action === 'install') return undefined;
  const { answer, liveness, owner } = own;
  if (liveness === 'elsewhere') return refuse('transient', 'elsewhere', owner);
  if (flags.replace && owner !== undefined && liveness === 'alive') {
    return isOwnAncestor
      ? refuse('permanent', 'running', owner)
      : { kind: 'replace', target: owner };
  }
  return answer === 'serving'
    ? refuse('permanent', 'running', owner)
    : refuse('transient', answer, owner);
}

function refuse(
  permanence: 'transient' | 'permanent',
  because: RefusalReason,
  by: Owner | undefined,
): GuardDecision {
  return { kind: 'refuse', permanence, because, by };
}
