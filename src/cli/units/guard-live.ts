import type { HostConfig } from '../../config/model.js';
import { profileLayout } from '../../config/paths.js';
import type { GuardFacts } from '../../core/guard.js';
import { observeMultiplexer } from '../../ownership/observe.js';
import { refusalError } from '../../ownership/refusal.js';
import { judgeAfterRescan } from '../../ownership/strangers.js';
import { runningSupervisorOf } from '../control/running-supervisor.js';
import type { Context } from '../verb.js';
import type { Target } from './target.js';

/**
 * Refuses the unit of a gateway that lives already as somebody's: it would be refused at every
 * start. What runs now says nothing about files that are for another machine.
 * @throws GatewardenError profile-served, profile-not-taken, gateway-already-running, owner-busy
 */
export async function guardLive(
  { home, isElsewhere, subjects }: Target,
  { multiplexAllowlist, multiplexProfiles }: HostConfig['gateway'],
  { env }: Pick<Context, 'env'>,
): Promise<void> {
  if (isElsewhere) return;
  for (const subject of subjects) {
    if (subject.kind === 'supervisor') continue;
    const { profile } = subject;
    const supervisor = await runningSupervisorOf(profile, { env, home });
    const gather = async (hasRescanned: boolean): Promise<GuardFacts> => {
      const multiplexer = await observeMultiplexer(home);
      return {
        action: 'install',
        profile,
        own: undefined,
        supervisor,
        multiplexer: multiplexer && { ...multiplexer, hasRescanned },
        configuration: { multiplexes: multiplexProfiles, allowlist: multiplexAllowlist },
        managedBy: undefined,
        flags: { force: false, replace: false, supervisedChild: false },
        isOwnAncestor: false,
      };
    };
    const { decision, facts } = await judgeAfterRescan(gather, home);
    if (decision.kind !== 'refuse') continue;
    const path = profileLayout(home, profile).gatewayLock;
    throw refusalError(decision, { profile, path, waitedMs: 0, facts });
  }
}
