import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../config/index.js';
import { type Environment, profileLayout } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import type { GuardFacts } from '../../core/guard.js';
import type { Owner } from '../../core/owner.js';
import { BeatMemory } from '../../ownership/observe.js';
import { refusalError } from '../../ownership/refusal.js';
import { decideAmongStrangers } from '../../ownership/strangers.js';

/** spec/supervision.md 4.3 */
const WAIT_MS = 5000;
const POLL_MS = 250;

export interface VerbGuard {
  readonly verb: 'start' | 'restart';
  readonly home: string;
  readonly env: Environment;
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
  const { home, supervisorPid, verb: action, waitMs = WAIT_MS } = guard;
  const configuration = multiplexing(home, guard.env);
  const question = { action, configuration, home, profile, supervisorPid };
  const begunAt = performance.now();
  const beats = new BeatMemory();
  for (;;) {
    const { decision, facts } = await decideAmongStrangers({ ...question, beats });
    const waitedMs = Math.round(performance.now() - begunAt);
    if (decision.kind === 'attach') return decision.to;
    if (decision.kind !== 'refuse') return undefined;
    if (decision.permanence === 'permanent' || waitedMs >= waitMs) {
      const path = profileLayout(home, profile).gatewayLock;
      throw refusalError(decision, { profile, path, waitedMs, facts });
    }
    await delay(POLL_MS);
  }
}

/** One that cannot be read allows nobody: what lives decides alone, and the start tells the rest. */
function multiplexing(home: string, env: Environment): GuardFacts['configuration'] {
  try {
    const { multiplexAllowlist, multiplexProfiles } = loadConfig(home, env).host.gateway;
    return { multiplexes: multiplexProfiles, allowlist: multiplexAllowlist };
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return { multiplexes: false, allowlist: undefined };
  }
}
