import { type BudgetChain, type BudgetSettings, hostChain, profileChain } from '../core/budgets.js';
import type { HostConfig, LoadedConfig, ProfileConfig } from './model.js';

/** What a profile's configuration says about time. */
export function budgetSettings(profile: ProfileConfig, host: HostConfig): BudgetSettings {
  return { ...waitsOf(profile), killAfterMs: host.stop.killAfterMs };
}

export function waitsOf(profile: ProfileConfig): Omit<BudgetSettings, 'killAfterMs'> {
  const { drainMs, jobsDrainMs, afterTurnMs, interruptGraceMs, command } = profile;
  const isProgram = command !== undefined;
  return { drainMs, jobsDrainMs, afterTurnMs, interruptGraceMs, isProgram };
}

export function profileBudgets(profile: ProfileConfig, host: HostConfig): BudgetChain {
  return profileChain(budgetSettings(profile, host));
}

/** Of a gateway's process; whom it serves besides (undefined: it is alone) may end after it. */
export function processBudgets(
  profile: ProfileConfig,
  guests: readonly ProfileConfig[] | undefined,
  host: HostConfig,
): BudgetChain {
  return guests === undefined
    ? profileBudgets(profile, host)
    : chainOfAll([profile, ...guests], host);
}

/** Of one process that is several profiles: it ends when the last of them has. */
function chainOfAll(profiles: readonly ProfileConfig[], host: HostConfig): BudgetChain {
  return hostChain(profiles.map((profile) => budgetSettings(profile, host)));
}

/** Of the supervisor: every profile that may run counts. */
export function hostBudgets({ host, profiles }: LoadedConfig): BudgetChain {
  return hostChain(
    [...profiles.values()].flatMap((loaded) =>
      loaded.kind === 'good' && loaded.config.enabled ? [budgetSettings(loaded.config, host)] : [],
    ),
  );
}
