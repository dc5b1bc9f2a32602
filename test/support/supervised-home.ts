import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { childEnvironment, loadConfig } from '../../src/config/index.js';
import { homeHash, homeLayout } from '../../src/config/paths.js';
import { chooseContainment } from '../../src/containment/index.js';
import type { Death } from '../../src/core/death.js';
import type { RecordedEvent } from '../../src/core/events.js';
import { instancePrefix, instanceTag } from '../../src/core/scope.js';
import { bootId, identityOf, openSupervisorStore } from '../../src/store/index.js';
import { UnendedTrees } from '../../supervisor/containment/unended-trees.js';
import { ControlAdapter } from '../../supervisor/control-adapter.js';
import { EventHub } from '../../supervisor/events/event-hub.js';
import { WorkerPool } from '../../supervisor/generation/worker-pool.js';
import { Guardian } from '../../supervisor/guardian/guardian.js';
import { ProfileLogs } from '../../supervisor/logs/profile-logs.js';
import { openSupervisorLog } from '../../supervisor/logs/supervisor-log.js';
import { servedConfigs } from '../../supervisor/multiplex/loaded.js';
import type { Profile } from '../../supervisor/profile/profile.js';
import { Spawner } from '../../supervisor/spawner.js';
import { Supervisor } from '../../supervisor/supervisor.js';
import { until } from './until.js';

/** A home in a short temporary directory, with the given files; removed after the test. */
export function makeHome(t: Test, files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync('/tmp/gw-');
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeHomeFile(home, name, text);
  return home;
}

export function writeHomeFile(home: string, name: string, text: string): void {
  const path = join(home, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

/** A profile file's name and its text as YAML (JSON is YAML). */
export function profileFile(name: string, config: object): Record<string, string> {
  return { [`profiles/${name}/config.yaml`]: JSON.stringify(config) };
}

export interface Running {
  readonly supervisor: Supervisor;
  readonly events: readonly RecordedEvent[];
  /** for whoever answers questions over a socket */
  readonly port: ControlAdapter;
  profile(name: string): Profile;
  count(profile: string, code: RecordedEvent['event']['code']): number;
}

/** The real parts of a supervisor in this process; only the control API is left out. */
export async function supervise(
  t: Test,
  home: string,
  options: { readonly once?: boolean; readonly worker?: string } = {},
): Promise<Running> {
  const layout = homeLayout(home);
  mkdirSync(layout.stateDir, { recursive: true });
  const scopePrefix = instancePrefix(
    homeHash(home),
    instanceTag(process.pid, identityOf(process.pid)?.startTicks),
  );
  const config = loadConfig(home, process.env);
  const store = openSupervisorStore({
    path: layout.supervisorDb,
    onFailing: () => undefined,
    onRecovered: () => undefined,
  });
  const stored = store.load();
  const hub = new EventHub(stored.nextCursor);
  const events: RecordedEvent[] = [];
  hub.subscribe((recorded) => {
    store.record(recorded);
    events.push(recorded);
  });
  const hash = homeHash(home);
  const containment = chooseContainment({
    tag: scopePrefix.slice(0, -1),
    leaf: 'supervisor',
    treeName: `gatewarden-${hash}-${process.pid}`,
    treePrefix: `gatewarden-${hash}-`,
  });
  const guardian = new Guardian(scopePrefix, containment.place);
  guardian.start();
  const pool = new WorkerPool(scopePrefix, childEnvironment(process.env, {}), options.worker);
  const log = await openSupervisorLog({
    layout,
    host: config.host,
    env: process.env,
    stderr: undefined,
  });
  const host = () => supervisor.config.host;
  const logs = new ProfileLogs({ home, host, hub, log });
  const unended = new UnendedTrees(() => undefined);
  const supervisor: Supervisor = new Supervisor({
    home,
    env: process.env,
    once: options.once ?? false,
    random: () => 0.5,
    config,
    stored,
    store,
    hub,
    pool,
    guardian,
    logs,
    unended,
    spawner: new Spawner({
      home,
      runtimeDir: layout.stateDir,
      scopePrefix,
      parentEnv: process.env,
      pool,
      containment,
      guardian,
      host,
      identityStems: [`${home}/locks/`],
      lodgingOf: (name) => supervisor.multiplex.lodgingOf(name),
      served: () => servedConfigs(supervisor),
    }),
    bootId: bootId(),
    startTicksOf: (pid) => identityOf(pid)?.startTicks,
  });
  t.teardown(async () => {
    supervisor.shutDown('the test is over');
    supervisor.hurry();
    await supervisor.finished;
    guardian.dismiss();
    await logs.closeAll();
    await log.close();
    store.close();
    await containment.close();
  });
  supervisor.start();
  const profile = (name: string): Profile => {
    const found = supervisor.profiles.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no profile ${name}`);
    return found;
  };
  const port = new ControlAdapter({
    supervisor,
    store,
    hub,
    logs,
    containment,
    unended,
    startedAt: new Date(),
    env: process.env,
    notices: [],
  });
  return {
    supervisor,
    events,
    port,
    profile,
    count: (name, code) =>
      events.filter(
        ({ event }) => event.code === code && 'profile' in event && event.profile === name,
      ).length,
  };
}

export function deathsOf({ events }: Pick<Running, 'events'>, name: string): Death[] {
  return events.flatMap(({ event }) =>
    event.code === 'died' && event.profile === name ? [event.death] : [],
  );
}

/** Deaths as `history` tells them, oldest first. */
export function toldDeathsOf({ port }: Pick<Running, 'port'>, name: string): Death[] {
  const { rows } = port.history({ profile: name, sinceMs: undefined, limit: 100 });
  return rows.flatMap(({ event }) => (event.code === 'died' ? [event.death] : [])).reverse();
}

export async function untilState(
  running: Running,
  name: string,
  state: Profile['state'],
): Promise<void> {
  await until(`${name} is ${state}`, () => running.profile(name).state === state);
}
