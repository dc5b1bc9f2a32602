import { withGuestBudgets } from '../../../supervisor/multiplex/guest-budgets.js';
import {
  buildAssignment,
  localSocketPath,
  processBudgets,
  profileBudgets,
} from '../../config/index.js';
import type { HostConfig, LoadedConfig, ProfileConfig } from '../../config/model.js';
import { guestsOf } from '../../config/multiplex.js';
import type { Environment } from '../../config/paths.js';
import type { GatewayAssignment, OwnershipGrant } from '../../core/assignment.js';
import { type BudgetChain, clientWaitMs } from '../../core/budgets.js';
import type { Owner } from '../../core/owner.js';
import type { WantedGuest } from '../../gateway/guests/own-guests.js';
import { identityStems } from '../../ownership/identity-places.js';

/** A configuration in which the profile of the process can be used. */
export interface GoodConfig {
  readonly all: LoadedConfig;
  readonly config: ProfileConfig;
}

export interface Ground {
  readonly home: string;
  readonly env: Environment;
  readonly runtimeDir: string;
}

interface ProcessFacts extends Ground {
  readonly supervisor: Owner | undefined;
  readonly force: boolean;
  readonly replace: boolean;
}

export interface ProcessPlan {
  readonly assignment: GatewayAssignment;
  readonly budgets: BudgetChain;
}

/** What a process without a supervisor is told; its waits are those of all that share it. */
export function planProcess({ all, config }: GoodConfig, facts: ProcessFacts): ProcessPlan {
  const { host } = all;
  const { force, replace, supervisor } = facts;
  const served = guestsOf(config, all);
  const budgets = processBudgets(config, served, host);
  const assignment = buildAssignment(config, {
    ...groundOf(config, host, facts),
    ownership: {
      ...grantFor(host, facts),
      force,
      replace,
      replaceWaitMs: clientWaitMs(profileBudgets(config, host)),
      supervisor,
      serves: served?.map(({ name }) => name),
    },
    ...(served === undefined ? {} : sharedIn(host, false)),
  });
  return { assignment: served ? withGuestBudgets(assignment, budgets) : assignment, budgets };
}

/** Whom the process serves besides; undefined: it is alone. */
export function planGuests(
  { all, config: own }: GoodConfig,
  ground: Ground,
): WantedGuest[] | undefined {
  const { host } = all;
  return guestsOf(own, all)?.map((config) => ({
    assignment: buildAssignment(config, {
      ...groundOf(config, host, ground),
      ownership: grantFor(host, ground),
      ...sharedIn(host, true),
    }),
    restart: config.restart,
  }));
}

function groundOf({ name }: ProfileConfig, host: HostConfig, { env, home, runtimeDir }: Ground) {
  return {
    home,
    generation: 0,
    localSocket: localSocketPath(runtimeDir, name),
    parentEnv: env,
    restartLoopGuard: host.gateway.restartLoopGuard,
  };
}

function sharedIn({ gateway }: HostConfig, isGuest: boolean) {
  return { shared: { isGuest, maxTurns: gateway.multiplexMaxTurns } };
}

/** Of one that comes without flags. */
function grantFor({ gateway }: HostConfig, { env }: Ground): Omit<OwnershipGrant, 'identities'> {
  return {
    supervised: false,
    force: false,
    replace: false,
    replaceWaitMs: 0,
    multiplexes: gateway.multiplexProfiles,
    allowlist: gateway.multiplexAllowlist,
    supervisor: undefined,
    identityStems: identityStems(env),
  };
}
