import { profileLayout } from '../config/paths.js';
import {
  decideGuard,
  type GuardAction,
  type GuardDecision,
  type GuardFacts,
  type MultiplexerFacts,
  type OwnerFacts,
} from '../core/guard.js';
import { DEFAULT_PROFILE } from '../core/names.js';
import type { Owner } from '../core/owner.js';
import { readOwner } from '../store/lock-owner.js';
import { livenessOfOwner } from '../store/place.js';
import { ancestorsOf } from '../store/process-table.js';
import { readRecordOf } from './live-record.js';
import { managingUnitOf } from './managing-unit.js';
import { type BeatMemory, observeMultiplexer, observeOwner } from './observe.js';
import { askRescan } from './rescan.js';
import { isOwnerOf } from './same-home.js';

export interface StrangerQuestion {
  readonly action: Extract<GuardAction, 'supervise' | 'start' | 'restart'>;
  readonly profile: string;
  readonly home: string;
  readonly supervisorPid: number;
  readonly configuration: GuardFacts['configuration'];
  /** of the same question, asked more than once */
  readonly beats: BeatMemory;
}

export interface Judged {
  readonly decision: GuardDecision;
  /** as they were when it was decided */
  readonly facts: GuardFacts;
}

type Who = Pick<StrangerQuestion, 'home' | 'profile' | 'supervisorPid'>;

/** Whether there is anybody to ask about: by hints alone, at once. */
export function hasStrangers({ home, profile, supervisorPid }: Who): boolean {
  const own = ownerOf(home, profile);
  const host = readRecordOf(home, DEFAULT_PROFILE)?.owner;
  return [own, host].some((owner) => owner !== undefined && isStranger(owner, { supervisorPid }));
}

/** Whether a supervisor may start a profile, as far as others than its own gateways have a say. */
export async function decideAmongStrangers(question: StrangerQuestion): Promise<Judged> {
  return await judgeAfterRescan((hasRescanned) => gather(question, hasRescanned), question.home);
}

/**
 * A multiplexer that would serve the profile, or let go of it, once it has looked again is told
 * to look, and asked again.
 */
export async function judgeAfterRescan(
  look: (hasRescanned: boolean) => Promise<GuardFacts>,
  home: string,
): Promise<Judged> {
  const facts = await look(false);
  const first = decideGuard(facts);
  if (first.kind !== 'attach' || !first.rescanFirst) return { decision: first, facts };
  await askRescan(home);
  const again = await look(true);
  return { decision: decideGuard(again), facts: again };
}

async function gather(question: StrangerQuestion, hasRescanned: boolean): Promise<GuardFacts> {
  const { action, configuration, profile } = question;
  const multiplexer = await strangeMultiplexer(question);
  const own = await strangerOf(question);
  return {
    action,
    profile,
    own,
    supervisor: undefined,
    multiplexer: multiplexer && { ...multiplexer, hasRescanned },
    configuration,
    managedBy: own?.owner && managingUnitOf(own.owner.identity.pid),
    flags: { force: false, replace: false, supervisedChild: false },
    isOwnAncestor: false,
  };
}

/** By the hints beside the lock: a try at the lock itself would get in the way of a real start. */
async function strangerOf(question: StrangerQuestion): Promise<OwnerFacts | undefined> {
  const { beats, home, profile } = question;
  const { gatewayHint } = profileLayout(home, profile);
  const holder = ownerOf(home, profile);
  if (holder === undefined || !isStranger(holder, question)) return undefined;
  return await observeOwner(gatewayHint, { holder, beats });
}

function ownerOf(home: string, profile: string): Owner | undefined {
  const owner = readOwner(profileLayout(home, profile).gatewayLock);
  return owner !== undefined && isOwnerOf(owner, home) ? owner : undefined;
}

async function strangeMultiplexer(
  question: StrangerQuestion,
): Promise<MultiplexerFacts | undefined> {
  const facts = await observeMultiplexer(question.home);
  return facts?.owner !== undefined && isStranger(facts.owner, question) ? facts : undefined;
}

/** Seen to live from here, and not below the supervisor. */
function isStranger(owner: Owner, { supervisorPid }: Pick<Who, 'supervisorPid'>): boolean {
  if (livenessOfOwner(owner) !== 'alive') return false;
  return !ancestorsOf(owner.identity.pid).includes(supervisorPid);
}
