import type { ServiceBudgets, Subject } from '../../../units/service.js';
import type { LoadedConfig } from '../../config/model.js';

/** What ending trees, closing stores and our own exit may take after the last kill. */
const STOP_HEADROOM_MS = 30_000;
/** A manager that stops sooner would hit a host that is merely slow. */
const STOP_FLOOR_MS = 60_000;
/** Between our own start deadline and the manager's, so that ours tells the reason. */
const START_HEADROOM_MS = 30_000;
/** Longer than our own guards take, which leave evidence: systemd is the last of them. */
const WATCHDOG_MS = 120_000;

/** What a manager must grant a service of this configuration. */
export function serviceBudgets(subject: Subject, { host, profiles }: LoadedConfig): ServiceBudgets {
  const drains = [...profiles.values()].flatMap((profile) => {
    const isMeant = subject.kind === 'supervisor' || subject.profile === profile.name;
    return isMeant && profile.kind === 'good' ? [profile.config.drainMs] : [];
  });
  const stopMs = Math.max(0, ...drains) + host.stop.killAfterMs + STOP_HEADROOM_MS;
  return {
    startMs: host.start.deadlineMs + START_HEADROOM_MS,
    stopMs: Math.max(STOP_FLOOR_MS, stopMs),
    watchdogMs: WATCHDOG_MS,
  };
}
