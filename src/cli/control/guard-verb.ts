import { setTimeout as delay } from 'node:timers/promises';
import { profileLayout } from '../../config/paths.js';
import { decideGuard, type MultiplexerFacts, type OwnerFacts } from '../../core/guard.js';
import type { Owner } from '../../core/owner.js';
import { BeatMemory, observeMultiplexer, observeOwner } from '../../ownership/observe.js';
import { refusalError } from '../../ownership/refusal.js';
import { readOwner } from '../../store/lock-owner.js';
import { livenessOfOwner } from '../../store/place.js';
import { ancestorsOf } from '../../store/process-table.js';

/** spec/supervision.md 4.3 */
const WAIT_MS = 5000;
const POLL_MS = 250;

export interface VerbGuard {
  readonly verb: 'start' | 'restart';
  readonly home: string;
  readonly supervisorPid: number;
  readonly waitMs?: number;
}

/**
 * Before a supervisor is told to start a profile: whether somebody runs it who is none of that
 * supervisor's. A spawn would only be refused by the lock, and park the profile.
 * @returns who serves it already; undefined: it may be started
 * @throws GatewardenError gateway-already-running, owner-busy
 */
export async function guardVerb(profile: string, guard: VerbGuard): Promise<Owner | undefined> {
  const { waitMs = WAIT_MS } = guard;
  const begunAt = performance.now();
  const beats = new BeatMemory();
  for (;;) {
    const decision = await decide(profile, guard, beats);
    const waitedMs = Math.round(performance.now() - begunAt);
    if (decision.kind === 'attach') return decision.to;
    if (decision.kind !== 'refuse') return undefined;
    if (decision.permanence === 'permanent' || waitedMs >= waitMs) {
      const path = profileLayout(guard.home, profile).gatewayLock;
      throw refusalError(decision, { profile, path, waitedMs });
    }
    await delay(POLL_MS);
  }
}

async function decide(profile: string, guard: VerbGuard, beats: BeatMemory) {
  return decideGuard({
    action: guard.verb,
    profile,
    own: await strangerOf(profile, guard, beats),
    supervisor: undefined,
    multiplexer: await strangeMultiplexer(guard),
    // what only the configuration says is the supervisor's to decide
    configuration: { multiplexes: false, allowlist: undefined },
    managedBy: undefined,
    flags: { force: false, replace: false, supervisedChild: false },
    isOwnAncestor: false,
  });
}

/** By the hints beside the lock: a try at the lock itself would get in the way of a real start. */
async function strangerOf(
  profile: string,
  guard: VerbGuard,
  beats: BeatMemory,
): Promise<OwnerFacts | undefined> {
  const { gatewayHint, gatewayLock } = profileLayout(guard.home, profile);
  const holder = readOwner(gatewayLock);
  if (holder === undefined || !isStranger(holder, guard)) return undefined;
  return await observeOwner(gatewayHint, { holder, beats });
}

async function strangeMultiplexer(guard: VerbGuard): Promise<MultiplexerFacts | undefined> {
  const facts = await observeMultiplexer(guard.home);
  return facts?.owner !== undefined && isStranger(facts.owner, guard) ? facts : undefined;
}

/** Seen to live from here, and not below the supervisor. */
function isStranger(owner: Owner, { supervisorPid }: VerbGuard): boolean {
  if (livenessOfOwner(owner) !== 'alive') return false;
  return !ancestorsOf(owner.identity.pid).includes(supervisorPid);
}
