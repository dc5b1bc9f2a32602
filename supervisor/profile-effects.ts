import type { Death } from '../src/core/death.js';
import { DEFAULT_RESTART_POLICY } from '../src/core/judge.js';
import { endAgain } from './containment/unended-trees.js';
import type { Multiplex } from './multiplex/multiplex.js';
import type { GenerationRun } from './profile/generation-run.js';
import type { Profile } from './profile/profile.js';
import type { ProfilePort } from './profile/profile-port.js';
import type { Inputs } from './reload/inputs.js';
import type { SupervisorFacts } from './supervisor.js';

export interface ProfileSurroundings {
  readonly inputs: Inputs;
  readonly multiplex: Multiplex;
  readonly buried: (profile: string, death: Death) => void;
  readonly changed: (profile: Profile) => void;
}

/** Ties a profile's needs to the parts of the supervisor that meet them. */
export function makeProfilePort(facts: SupervisorFacts, around: ProfileSurroundings): ProfilePort {
  const { hub, store, pool, logs, guardian } = facts;
  return {
    slotsFor: (name) => facts.spawner.guarded(name, around.multiplex.slotsFor(name)),
    once: facts.once,
    restartPolicy: DEFAULT_RESTART_POLICY,
    random: facts.random,
    record: (event) => hub.publish(event),
    clearDeaths: (name) => store.clearDeaths(name),
    spawn: (view, loaded, listener) => {
      const run = facts.spawner.spawn(view, loaded, listener);
      if (run.pid !== undefined) noteSpawn(facts, view, run);
      return run;
    },
    expectSuccessor: (profile) => {
      const { loaded, name } = profile.view();
      if (loaded.kind === 'bad' || loaded.config.command !== undefined) return;
      if (around.multiplex.lodgingOf(name).place === 'own') pool.prefork();
    },
    restartWanted: (profile, detail) => {
      const by = detail === '' ? 'gateway' : `gateway: ${detail}`;
      hub.publish({ code: 'verb', profile: profile.name, verb: 'restart', by });
      profile.apply('restart');
    },
    fingerprintNow: (name) => around.inputs.readProfile(name)?.fingerprint ?? '',
    line: (name, stream, text) => logs.line(name, stream, text),
    protocolBroken: (name, code) => logs.contractBroken(name, code),
    storm: (profile, { stormWindowMs: windowMs }) => {
      const since = Date.now() - windowMs;
      const deaths = profile.deaths.counted.filter((death) => death.at > since).length;
      hub.publish({ code: 'storm', profile: profile.name, deaths, windowMs });
    },
    buried: (profile, death) => {
      if (death.pid !== undefined) guardian.remove(death.pid);
      around.buried(profile.name, death);
    },
    survived: (name, scope, pids) => {
      hub.publish({ code: 'survivors', profile: name, pids });
      facts.unended.add({ profile: name, survivors: pids, retry: () => endAgain(scope) });
    },
    evidence: (profile, { fatal: _, ...kept }) => hub.publish({ ...kept, profile }),
    changed: around.changed,
  };
}

/** Written before anything can happen to us: the next supervisor finds the process by this. */
function noteSpawn(
  { hub, store, bootId, startTicksOf }: SupervisorFacts,
  { name, generation }: { readonly name: string; readonly generation: number },
  { pid = 0, generation: spawned }: GenerationRun,
): void {
  store.openGeneration({
    profile: name,
    generation,
    identity: { pid, startTicks: startTicksOf(pid), bootId },
    spawnedAt: Date.now(),
    containment: spawned?.scope.place ?? spawned?.scope.tag,
  });
  hub.publish({ code: 'spawned', profile: name, generation, pid });
}
