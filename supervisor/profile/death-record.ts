import {
  type Cause,
  causeOf,
  type Death,
  describeOutcome,
  type ExitEvidence,
} from '../../src/core/death.js';
import { formatDuration } from '../../src/core/durations.js';
import { EXIT } from '../../src/core/exit-codes.js';
import type { KeptEvidence } from '../../src/core/watch.js';
import type { GenerationExit } from '../generation/generation.js';

/** Epoch milliseconds. */
export interface StopTimes {
  readonly askedAt: number;
  readonly killAt: number;
}

/** Everything that is known when a generation has ended. */
export interface DeathFacts {
  readonly profile: string;
  readonly generation: number;
  readonly pid: number | undefined;
  readonly spawnedAt: number;
  readonly readyAt: number | undefined;
  /** when the start would have been given up */
  readonly deadlineAt: number;
  readonly phase: string | undefined;
  readonly evidence: ExitEvidence;
  /** the gateway's own last words */
  readonly farewell: { readonly detail: string; readonly remedy: string } | undefined;
  /** what its watchdog wrote down and has not taken back */
  readonly watch: KeptEvidence | undefined;
  /** why it was given up as lost */
  readonly lostBecause: string | undefined;
  /** undefined: nobody asked it to end */
  readonly stop: StopTimes | undefined;
  readonly lastLine: string | undefined;
}

/** What a thread's last words make of the end that they announce; undefined: they announce none. */
export function witnessedBy(
  { kind, fatal, lateMs }: Pick<KeptEvidence, 'kind' | 'fatal' | 'lateMs'>,
  wasReady: boolean,
): 'stall' | 'start-timeout' | undefined {
  if (!fatal) return undefined;
  // a loop that hangs before it has served is a start that failed
  if (kind === 'stall') return wasReady ? 'stall' : 'start-timeout';
  // a stranger's signal came while its loop stood still; a stop that we asked for stays that
  if (kind === 'stop-timeout') return lateMs > 0 && wasReady ? 'stall' : undefined;
  return kind === 'start-timeout' ? kind : undefined;
}

/** Turns an exit into the record that judge(), the history and `why` work with. */
export function recordDeath(facts: DeathFacts, exit: GenerationExit): Death {
  if (exit.server !== undefined) return recordServersEnd(facts, { ...exit, server: exit.server });
  const evidence = { ...facts.evidence, spawnRefused: exit.spawnError?.refused ?? false };
  const cause = causeOf(exit.outcome, evidence);
  return {
    profile: facts.profile,
    generation: facts.generation,
    pid: facts.pid,
    outcome: exit.outcome,
    cause,
    uptimeMs: Math.max(0, exit.at - facts.spawnedAt),
    readyMs: facts.readyAt === undefined ? undefined : Math.max(0, exit.at - facts.readyAt),
    at: exit.at,
    detail: detailOf(facts, exit, cause),
    remedy: farewellOf(facts)?.remedy,
    evidence: facts.watch?.path,
  };
}

/** A guest dies of what its server died of, and says so. */
function recordServersEnd(
  { evidence, ...facts }: DeathFacts,
  { at, outcome, server }: GenerationExit & { readonly server: Death },
): Death {
  const how = describeOutcome(outcome);
  const because = server.detail === undefined ? '' : `: ${server.detail}`;
  return {
    profile: facts.profile,
    generation: facts.generation,
    pid: facts.pid,
    outcome,
    cause: causeOfServed(evidence, server.cause),
    uptimeMs: Math.max(0, at - facts.spawnedAt),
    readyMs: facts.readyAt === undefined ? undefined : Math.max(0, at - facts.readyAt),
    at,
    detail: `the gateway of ${server.profile}, which served it, ended (${how})${because}`,
    remedy: server.remedy,
    evidence: server.evidence,
    servedBy: server.profile,
  };
}

/** What was asked of the guest itself comes first; nobody asked for it when its server was stopped. */
function causeOfServed({ askedToStop, askedToRestart }: ExitEvidence, servers: Cause): Cause {
  if (askedToStop) return 'asked';
  return askedToRestart || servers === 'asked' ? 'planned' : servers;
}

function detailOf(facts: DeathFacts, exit: GenerationExit, cause: Cause): string | undefined {
  if (exit.spawnError !== undefined) return `it could not be started: ${exit.spawnError.text}`;
  const farewell = farewellOf(facts);
  if (farewell !== undefined) return farewell.detail;
  if (cause === 'start-timeout' && facts.watch?.kind !== 'stall') {
    const waited = formatDuration(facts.deadlineAt - facts.spawnedAt);
    const phase = facts.phase === undefined ? '' : `; last phase: ${facts.phase}`;
    return `not ready within ${waited}${phase}${facts.watch === undefined ? '' : `; ${facts.watch.where}${unwrittenOf(facts.watch)}`}${notLetGo(facts, exit)}`;
  }
  if (cause === 'lost' && facts.lostBecause !== undefined) {
    return `the supervisor ended it: ${facts.lostBecause}`;
  }
  const stray = strayKill(facts, exit);
  if (stray !== undefined) return stray;
  // a program that said itself why it ends knows better
  if (facts.watch !== undefined && exit.outcome.kind === 'signal') {
    return describeWatch(facts.watch);
  }
  // still the stop or the restart that was asked for, but not one to be proud of
  const { stop } = facts;
  if (stop !== undefined && exit.outcome.kind === 'signal' && exit.at >= stop.killAt) {
    const hadMs = stop.killAt - stop.askedAt;
    return `it had not ended ${formatDuration(hadMs)} after it was asked to, so the supervisor killed it`;
  }
  // what it printed before an end that was asked for explains nothing
  return cause === 'asked' || cause === 'planned' ? undefined : facts.lastLine;
}

/** A part of another process that we could not end is told as what it is: nothing was killed. */
function notLetGo({ farewell }: DeathFacts, { outcome }: GenerationExit): string {
  return outcome.kind === 'unseen' && farewell !== undefined ? `; ${farewell.detail}` : '';
}

/** Neither we nor its own guard send such a signal so early in an end that was asked for. */
function strayKill(facts: DeathFacts, { at, outcome }: GenerationExit): string | undefined {
  const { evidence, stop, watch } = facts;
  if (stop === undefined || outcome.kind !== 'signal' || at >= stop.killAt) return undefined;
  const isOurs =
    // how another program is asked to end
    outcome.signal === 'SIGTERM' ||
    evidence.killedFor !== undefined ||
    evidence.witnessed === 'oom' ||
    watch?.fatal === true;
  if (isOurs) return undefined;
  const span = formatDuration(Math.max(0, at - stop.askedAt));
  return `${outcome.signal} from somebody else ended it ${span} after it was asked to end, in the middle of its drain`;
}

/** Whoever was ended for a slow start says goodbye to our signal: that explains nothing. */
function farewellOf({ evidence, farewell }: DeathFacts): DeathFacts['farewell'] {
  return evidence.killedFor === 'start-timeout' ? undefined : farewell;
}

/** What held it, as its watchdog saw it last. */
function describeWatch(kept: KeptEvidence): string {
  const { kind, lateMs, where } = kept;
  if (kind === 'stop-timeout') return `it did not end in time: ${where}${unwrittenOf(kept)}`;
  // counted time: what the host kept from it comes on top
  return `its event loop stood still for at least ${formatDuration(lateMs)}: ${where}${unwrittenOf(kept)}`;
}

function unwrittenOf({ unwritten }: KeptEvidence): string {
  return unwritten === undefined ? '' : `; the evidence could not be written: ${unwritten}`;
}

/** A configuration that cannot be used ends a start before any process exists, as code 78 would. */
export function recordRefusal(profile: string, generation: number, detail: string): Death {
  return {
    profile,
    generation,
    pid: undefined,
    outcome: { kind: 'code', code: EXIT.config },
    cause: 'config',
    uptimeMs: 0,
    readyMs: undefined,
    at: Date.now(),
    detail,
    remedy: undefined,
    evidence: undefined,
  };
}
