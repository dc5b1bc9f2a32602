import type { Containment, Scope } from '../../src/containment/index.js';
import type { EventHub } from '../events/event-hub.js';
import type { Supervisor } from '../supervisor.js';
import { ALARM_PROCESSES, type GaugeFacts } from './leak-gauge.js';

/** Reads every running profile by one look at the host. */
export function gaugeFacts(
  supervisor: Supervisor,
  containment: Containment,
  hub: EventHub,
): GaugeFacts {
  return {
    read: async () => {
      const running = runningScopes(supervisor);
      const counted = await containment.census([...running.values()]);
      return [...running].map(([profile, scope]) => ({
        profile,
        processes: counted.get(scope)?.length ?? 0,
        threshold: limitOf(supervisor, profile) ?? ALARM_PROCESSES,
      }));
    },
    alarm: (reading) => hub.publish({ code: 'processes-high', ...reading }),
  };
}

export function runningScopes(supervisor: Supervisor): ReadonlyMap<string, Scope> {
  const running = new Map<string, Scope>();
  for (const profile of supervisor.profiles) {
    const { name, run } = profile.view();
    if (run?.pid !== undefined && run.generation !== undefined) {
      running.set(name, run.generation.scope);
    }
  }
  return running;
}

function limitOf(supervisor: Supervisor, profile: string): number | undefined {
  const loaded = supervisor.config.profiles.get(profile);
  return loaded?.kind === 'good' ? loaded.config.limits.processes : undefined;
}
