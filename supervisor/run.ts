import { rmSync } from 'node:fs';
import { childEnvironment, loadConfig, renderAddress } from '../src/config/index.js';
import type { LoadedConfig } from '../src/config/model.js';
import { controlSocketPath, type HomeLayout, homeHash, homeLayout } from '../src/config/paths.js';
import { chooseContainment } from '../src/containment/index.js';
import { instancePrefix, instanceTag } from '../src/core/scope.js';
import type { StatusReport } from '../src/core/status.js';
import { packageVersion } from '../src/core/version.js';
import type { GuardedOutput } from '../src/observability/index.js';
import {
  bootId,
  type HeldLock,
  identityOf,
  openSupervisorStore,
  type SupervisorStore,
  writeJsonFile,
} from '../src/store/index.js';
import { Cleanup } from './cleanup.js';
import { gaugeFacts } from './containment/gauge-facts.js';
import { LeakGauge } from './containment/leak-gauge.js';
import { UnendedTrees } from './containment/unended-trees.js';
import { type ControlServer, startControlServer } from './control/index.js';
import { ControlAdapter } from './control-adapter.js';
import { describeEvent } from './events/describe-event.js';
import { EventHub } from './events/event-hub.js';
import { WorkerPool } from './generation/worker-pool.js';
import { Guardian } from './guardian/guardian.js';
import { ProfileLogs } from './logs/profile-logs.js';
import { openSupervisorLog } from './logs/supervisor-log.js';
import { prepareHome } from './prepare-home.js';
import { SourceWatch } from './reload/source-watch.js';
import { makeRuntimeDir, removeRuntimeDir } from './runtime-dir.js';
import { listenForSignals } from './signals.js';
import { keepHeapSmall } from './small-heap.js';
import { ENDING_TIMES, Spawner } from './spawner.js';
import { Supervisor } from './supervisor.js';
import { sweepAndTell } from './sweep/tell-swept.js';
import { claimHome } from './take-over.js';

export interface SupervisorOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** nothing is started twice; the worst exit decides ours */
  readonly once: boolean;
  /** end the present owner of the home first */
  readonly replace: boolean;
  /** where readable log lines go besides the log file */
  readonly stderr?: GuardedOutput;
  readonly onStarted?: (info: StartedInfo) => void;
  /** once, when every desired profile is ready or known not to become so */
  readonly onSettled?: (report: StatusReport) => void;
}

export interface StartedInfo {
  readonly pid: number;
  readonly controlSocket: string;
  /** URL of the status page on TCP, if one is configured */
  readonly statusPage: string | undefined;
}

/**
 * Runs the supervisor until it is told to stop. The caller owns the process: it sets the exit
 * code from what this returns.
 * @returns an exit code of the contract
 * @throws GatewardenError when it may not or cannot run: already-running, home-missing,
 *   home-unusable, config-invalid, schema-newer, store-corrupt, socket-path-too-long
 */
export async function runSupervisor(options: SupervisorOptions): Promise<number> {
  keepHeapSmall();
  const layout = homeLayout(options.home);
  prepareHome(layout);
  const identity = identityOf(process.pid) ?? {
    pid: process.pid,
    startTicks: undefined,
    bootId: undefined,
  };
  const owner = { identity, home: options.home, startedAt: Date.now() };
  const lock = await claimHome({
    path: layout.supervisorLock,
    owner,
    replace: options.replace,
    hintPath: layout.supervisorHint,
  });
  const cleanup = new Cleanup();
  cleanup.add(() => lock.release());
  try {
    return await supervise(options, { layout, lock, startTicks: identity.startTicks }, cleanup);
  } finally {
    await cleanup.run();
  }
}

interface Claimed {
  readonly layout: HomeLayout;
  readonly lock: HeldLock;
  readonly startTicks: number | undefined;
}

/** Wires the parts in the order of docs/boot.md. */
async function supervise(
  options: SupervisorOptions,
  claimed: Claimed,
  cleanup: Cleanup,
): Promise<number> {
  const { layout } = claimed;
  const startedAt = new Date();
  const hash = homeHash(options.home);
  const scopePrefix = instancePrefix(hash, instanceTag(process.pid, claimed.startTicks));
  const runtimeDir = makeRuntimeDir(options.home, options.env, process.getuid?.() ?? 0);
  const containment = chooseContainment({
    tag: scopePrefix.slice(0, -1),
    leaf: 'supervisor',
    treeName: `gatewarden-${hash}-${instanceTag(process.pid, claimed.startTicks)}`,
    treePrefix: `gatewarden-${hash}-`,
  });
  cleanup.add(() => containment.close());
  cleanup.add(() => removeRuntimeDir(runtimeDir));
  const pool = new WorkerPool(scopePrefix, childEnvironment(options.env, {}));
  // boots on the other core while the configuration is read
  pool.prefork();
  cleanup.add(() => pool.dropSpare());
  const config = loadConfig(options.home, options.env);
  const guardian = new Guardian(scopePrefix, containment.place);
  guardian.start();
  cleanup.add(() => guardian.dismiss());
  const log = await openSupervisorLog({
    layout,
    host: config.host,
    env: options.env,
    stderr: options.stderr,
  });
  cleanup.add(() => log.close());
  const reaction: { hub?: EventHub; supervisor?: Supervisor } = {};
  const store = openStore(layout, reaction, cleanup);
  const stored = store.load();
  const hub = new EventHub(stored.nextCursor);
  reaction.hub = hub;
  hub.subscribe((recorded) => store.record(recorded));
  hub.subscribe(({ event }) => log.write(describeEvent(event)));
  const host = () => reaction.supervisor?.config.host ?? config.host;
  const logs = new ProfileLogs({ home: options.home, host, hub, log });
  cleanup.add(() => logs.closeAll());
  const unended = new UnendedTrees((profile = '', pids) =>
    hub.publish({ code: 'leftovers-ended', profile, pids }),
  );
  cleanup.add(() => unended.stop());
  await sweepAndTell(
    {
      homePrefix: `${hash}:`,
      instancePrefix: scopePrefix,
      open: stored.open,
      containment,
      times: ENDING_TIMES,
    },
    { hub, unended },
  );
  const spawner = new Spawner({
    home: options.home,
    runtimeDir,
    scopePrefix,
    parentEnv: options.env,
    pool,
    containment,
    guardian,
    host,
  });
  const supervisor = new Supervisor({
    home: options.home,
    env: options.env,
    once: options.once,
    random: Math.random,
    config,
    stored,
    store,
    hub,
    pool,
    guardian,
    spawner,
    logs,
    unended,
    bootId: bootId(),
    startTicksOf: (pid) => identityOf(pid)?.startTicks,
  });
  reaction.supervisor = supervisor;
  const port = new ControlAdapter({
    supervisor,
    store,
    hub,
    logs,
    containment,
    unended,
    startedAt,
    env: options.env,
  });
  const gauge = new LeakGauge(gaugeFacts(supervisor, containment, hub));
  gauge.start();
  cleanup.add(() => gauge.stop());
  const control = await openControl(runtimeDir, config, port);
  cleanup.add(() => control.close());
  announce(layout, control, startedAt, cleanup);
  const watch = new SourceWatch({
    sources: () => supervisor.config.sources,
    isNeeded: () => supervisor.awaitsChange,
    changed: () => supervisor.retryChanged(),
  });
  watch.start();
  cleanup.add(() => watch.stop());
  cleanup.add(listenForSignals(process, signalActions(supervisor)));
  hub.publish({ code: 'supervisor-started', pid: process.pid, version: packageVersion() });
  options.onStarted?.({
    pid: process.pid,
    controlSocket: controlSocketPath(runtimeDir),
    statusPage: config.host.statusPage.enabled ? urlOf(control) : undefined,
  });
  tellWhenSettled(supervisor, hub, () => {
    void port.status().then((report) => options.onSettled?.(report));
  });
  supervisor.start();
  const code = await supervisor.finished;
  hub.publish({ code: 'supervisor-stopped' });
  return code;
}

function openStore(
  layout: HomeLayout,
  reaction: { readonly hub?: EventHub; readonly supervisor?: Supervisor },
  cleanup: Cleanup,
): SupervisorStore {
  const store = openSupervisorStore({
    path: layout.supervisorDb,
    onFailing: (detail) => reaction.hub?.publish({ code: 'store-failing', detail }),
    onRecovered: (written) => {
      reaction.supervisor?.adopt(store.load());
      reaction.hub?.publish({ code: 'store-recovered', written });
    },
  });
  cleanup.add(() => void store.close());
  return store;
}

async function openControl(
  runtimeDir: string,
  config: LoadedConfig,
  port: ControlAdapter,
): Promise<ControlServer> {
  const { listen, token } = config.host.control;
  return await startControlServer({
    socketPath: controlSocketPath(runtimeDir),
    // the configuration refuses an address without a token
    tcp: listen === undefined || token === undefined ? undefined : { ...listen, token },
    statusPage: config.host.statusPage.enabled,
    port,
  });
}

function urlOf({ address }: ControlServer): string | undefined {
  return address.tcp === undefined ? undefined : `http://${renderAddress(address.tcp)}/`;
}

/** A hint for clients in other shells: the lock stays the truth. */
function announce(
  layout: HomeLayout,
  control: ControlServer,
  startedAt: Date,
  cleanup: Cleanup,
): void {
  const identity = identityOf(process.pid);
  try {
    writeJsonFile(layout.supervisorHint, {
      pid: process.pid,
      startTicks: identity?.startTicks,
      bootId: identity?.bootId,
      socket: control.address.socketPath,
      tcp: urlOf(control),
      startedAt: startedAt.toISOString(),
      version: packageVersion(),
    });
  } catch {
    // a full disk: clients find the socket by its usual place
    rmSync(layout.supervisorHint, { force: true });
  }
  cleanup.add(() => rmSync(layout.supervisorHint, { force: true }));
}

function signalActions(supervisor: Supervisor) {
  return {
    stop: (signal: string) => supervisor.shutDown(signal),
    hurry: () => supervisor.hurry(),
    reload: () => void supervisor.reload('signal'),
    restartAll: () => supervisor.restartAll('signal'),
  };
}

function tellWhenSettled(supervisor: Supervisor, hub: EventHub, settled: () => void): void {
  const stop = hub.subscribe(({ event }) => {
    if (event.code !== 'state' || supervisor.isSettling) return;
    stop();
    setImmediate(settled);
  });
}
