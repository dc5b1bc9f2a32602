import { decideGuard, type GuardFacts, isHeldByHost, type MultiplexerFacts } from './guard.js';

/** What an operator can do about a refusal; the names of flags are those of the command line. */
export type Remedy =
  /** it ends by itself */
  | 'wait'
  /** the multiplexer is on its way, and serves the profile then */
  | 'wait-for-host'
  /** the supervisor that runs it lets go of it */
  | 'stop'
  /** the configuration takes it from the multiplexer */
  | 'take-out'
  | 'replace'
  | 'force'
  /** the owner's process, or the unit that runs it */
  | 'end-owner'
  | 'replace-force'
  /** from a process that is not below the owner */
  | 'replace-from-outside'
  /** the process of the multiplexer */
  | 'end-host';

/** What the facts are once a remedy was used; undefined: it cannot be used here. */
type Cure = (facts: GuardFacts) => GuardFacts | undefined;

/** In the order in which they are told. */
const CURES: Readonly<Record<Remedy, Cure>> = {
  wait: (facts) => (isDraining(facts) ? withoutOwner(facts) : undefined),
  'wait-for-host': (facts) =>
    facts.multiplexer?.answer === 'starting' ? withServing(facts, facts.multiplexer) : undefined,
  stop: (facts) => (facts.supervisor === undefined ? undefined : withoutSupervisor(facts)),
  'take-out': (facts) => (isHosts(facts) ? takenOut(facts) : undefined),
  replace: (facts) => withFlags(facts, { replace: true }),
  force: (facts) => withFlags(facts, { force: true }),
  'end-owner': (facts) =>
    facts.own === undefined || isHeldByHost(facts) ? undefined : withoutOwner(facts),
  'replace-force': (facts) => withFlags(facts, { replace: true, force: true }),
  'replace-from-outside': (facts) =>
    facts.isOwnAncestor
      ? withFlags({ ...facts, isOwnAncestor: false }, { replace: true })
      : undefined,
  'end-host': (facts) =>
    facts.multiplexer === undefined ? undefined : { ...withoutHost(facts), multiplexer: undefined },
};

const REMEDIES = Object.keys(CURES) as readonly Remedy[];

/** Of two that work, the one that asks for less. */
const WEAKER: Readonly<Partial<Record<Remedy, readonly Remedy[]>>> = {
  'replace-force': ['replace', 'force'],
  'replace-from-outside': ['replace', 'replace-force'],
  'end-owner': ['replace-from-outside', 'wait'],
  'end-host': ['take-out', 'force', 'wait-for-host'],
};

/** Remedies that are used one after the other. */
export type Cures = readonly Remedy[];

/**
 * What would turn a refusal into a start, an attachment or a replacement: the guard itself is
 * asked about each, so that no message names what does nothing. Two at once only where no single
 * one works.
 */
export function remediesOf(facts: GuardFacts): readonly Cures[] {
  const single = REMEDIES.filter((remedy) => isCuredBy([remedy], facts));
  const isWeakest = (remedy: Remedy) =>
    !(WEAKER[remedy] ?? []).some((weaker) => single.includes(weaker));
  if (single.length > 0) return single.filter(isWeakest).map((remedy) => [remedy]);
  const pairs = REMEDIES.flatMap((first) => REMEDIES.map((second) => [first, second]));
  return pairs.filter((pair) => isCuredBy(pair, facts)).slice(0, 1);
}

function isCuredBy(cures: Cures, facts: GuardFacts): boolean {
  const cured = factsAfter(cures, facts);
  return cured !== undefined && decideGuard(cured).kind !== 'refuse';
}

/** undefined: one of them cannot be used. */
export function factsAfter(cures: Cures, facts: GuardFacts): GuardFacts | undefined {
  return cures.reduce<GuardFacts | undefined>(
    (before, remedy) => before && CURES[remedy](before),
    facts,
  );
}

/** Only verbs that have a flag can be told to use it. */
function withFlags(
  facts: GuardFacts,
  flags: Partial<Pick<GuardFacts['flags'], 'force' | 'replace'>>,
): GuardFacts | undefined {
  const { action } = facts;
  if (facts.flags.supervisedChild) return undefined;
  if (flags.force ? action !== 'run' : action !== 'run' && action !== 'up') return undefined;
  return { ...facts, flags: { ...facts.flags, ...flags } };
}

function withoutOwner(facts: GuardFacts): GuardFacts {
  return { ...facts, own: undefined, managedBy: undefined, isOwnAncestor: false };
}

function withoutSupervisor(facts: GuardFacts): GuardFacts {
  return { ...withoutOwner(facts), supervisor: undefined };
}

function withServing(facts: GuardFacts, host: MultiplexerFacts): GuardFacts {
  const { profile = '' } = facts;
  const served = [...(host.served ?? []), profile];
  return {
    ...facts,
    multiplexer: { ...host, answer: 'serving', isMultiplexer: true, served },
  };
}

/** One that a supervisor runs is run by that on its own then, until it is told to stop it. */
function takenOut(facts: GuardFacts): GuardFacts {
  const { configuration, multiplexer, profile } = facts;
  const isOther = (name: string): boolean => name !== profile;
  const rest = withoutHost(facts);
  return {
    ...rest,
    supervisor: undefined,
    configuration: { ...configuration, allowlist: configuration.allowlist?.filter(isOther) ?? [] },
    multiplexer: multiplexer && { ...multiplexer, served: multiplexer.served?.filter(isOther) },
  };
}

function withoutHost(facts: GuardFacts): GuardFacts {
  return isHeldByHost(facts) ? withoutOwner(facts) : facts;
}

function isDraining(facts: GuardFacts): boolean {
  const { multiplexer, own, profile = '' } = facts;
  const isLetGo = multiplexer?.served?.includes(profile) === false;
  return own?.answer === 'draining' || (isLetGo && isHeldByHost(facts));
}

/** The multiplexer has it, or is to have it. */
function isHosts({ configuration, multiplexer, profile = '' }: GuardFacts): boolean {
  const { allowlist, multiplexes } = configuration;
  const isWanted = multiplexes && (allowlist?.includes(profile) ?? true);
  return multiplexer !== undefined && (isWanted || multiplexer.served?.includes(profile) === true);
}
