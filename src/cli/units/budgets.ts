import type { ServiceBudgets, Subject } from '../../../units/service.js';
import { hostBudgets, processBudgets } from '../../config/budgets.js';
import type { LoadedConfig } from '../../config/model.js';
import { guestsOf } from '../../config/multiplex.js';
import { profileChain } from '../../core/budgets.js';

/** Between our own start deadline and the manager's, so that ours tells the reason. */
const START_HEADROOM_MS = 30_000;
/** Longer than our own guards take, which leave evidence: systemd is the last of them. */
const WATCHDOG_MS = 120_000;

/** What a manager must grant a service of this configuration. */
export function serviceBudgets(subject: Subject, config: LoadedConfig): ServiceBudgets {
  return {
    startMs: config.host.start.deadlineMs + START_HEADROOM_MS,
    stopMs: chainOf(subject, config).at['manager-stop'],
    watchdogMs: WATCHDOG_MS,
  };
}

function chainOf(subject: Subject, config: LoadedConfig) {
  if (subject.kind === 'supervisor') return hostBudgets(config);
  const profile = config.profiles.get(subject.profile);
  if (profile?.kind === 'good') {
    return processBudgets(profile.config, guestsOf(profile.config, config), config.host);
  }
  // a profile that cannot start needs no time to stop: the floor
  return profileChain({
    drainMs: 0,
    jobsDrainMs: 0,
    afterTurnMs: 0,
    interruptGraceMs: 0,
    killAfterMs: config.host.stop.killAfterMs,
    isProgram: false,
  });
}
