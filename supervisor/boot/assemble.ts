import { identityStems } from '../../src/ownership/identity-places.js';
import { bootId, identityOf } from '../../src/store/index.js';
import { servedConfigs } from '../multiplex/loaded.js';
import { Spawner } from '../spawner.js';
import { Supervisor } from '../supervisor.js';
import type { Remembering } from './memory.js';

export interface Assembled extends Remembering {
  readonly supervisor: Supervisor;
}

/** The supervisor with its profiles; nothing is started yet. */
export function assemble(before: Remembering): Assembled {
  const { options, late } = before;
  const spawner = new Spawner({
    home: options.home,
    runtimeDir: before.runtimeDir,
    scopePrefix: before.scopePrefix,
    parentEnv: options.env,
    pool: before.pool,
    containment: before.containment,
    guardian: before.guardian,
    host: before.host,
    lodgingOf: (name) => late.supervisor?.multiplex.lodgingOf(name) ?? { place: 'own' },
    served: () => (late.supervisor === undefined ? [] : servedConfigs(late.supervisor)),
    identityStems: identityStems(options.env),
  });
  const supervisor = new Supervisor({
    home: options.home,
    env: options.env,
    once: options.once,
    random: Math.random,
    config: before.config,
    stored: before.stored,
    store: before.store,
    hub: before.hub,
    pool: before.pool,
    guardian: before.guardian,
    spawner,
    logs: before.logs,
    unended: before.unended,
    bootId: bootId(),
    startTicksOf: (pid) => identityOf(pid)?.startTicks,
  });
  late.supervisor = supervisor;
  return { ...before, supervisor };
}
