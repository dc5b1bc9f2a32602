import type { Containment, GaugeFacts, GaugeReading, Scope } from '../../src/containment/index.js';
import type { EventHub } from '../events/event-hub.js';
import type { Supervisor } from '../supervisor.js';

/** More than any gateway with its tools needs; a profile's own limit comes first. */
const ALARM_PROCESSES = 64;

export interface ProfileReading extends GaugeReading {
  readonly profile: string;
}

/** Reads every running profile by one look at the host. */
export function gaugeFacts(
  supervisor: Supervisor,
  containment: Containment,
  hub: EventHub,
): GaugeFacts<ProfileReading> {
  return {
    nameOf: ({ profile }) => profile,
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
