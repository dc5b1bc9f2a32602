import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { clampTimerMs } from '../core/durations.js';
import { messageOf } from '../core/errors.js';
import { packageVersion } from '../core/version.js';
import type { GatewayReport } from '../core/work.js';
import { createDriver } from './agents/create-driver.js';
import { Gateway } from './gateway.js';
import type { GatewayLink } from './link/port.js';
import type { GatewayLog } from './log.js';
import { createAdapters } from './platforms/create-adapters.js';
import type { GatewayHealth, PlatformAdapter } from './platforms/port.js';
import { Reporter } from './reporter.js';
import { openSessionStore } from './sessions/store.js';
import { DEFAULT_TIMINGS, type GatewayTimings } from './timings.js';
import { TurnRunner } from './turns/runner.js';

export interface RunOptions {
  readonly log: GatewayLog;
  readonly timings?: Partial<GatewayTimings>;
  /** aborted when the start is no longer wanted */
  readonly signal: AbortSignal;
}

/** What one step of the start may take beyond the deadline before it counts as stuck. */
const PHASE_LEASE_MS = 30_000;

/**
 * Becomes the profile of the assignment; resolves once it is ready. What it had opened is
 * closed again when the start fails.
 * @throws GatewardenError for every refusal; the signal's reason once it is aborted
 */
export async function runGateway(
  assignment: GatewayAssignment,
  link: GatewayLink,
  options: RunOptions,
): Promise<Gateway> {
  const undo: (() => unknown)[] = [];
  try {
    return await start(assignment, link, { ...options, undo });
  } catch (thrown) {
    for (const step of undo.reverse()) await step();
    options.signal.throwIfAborted();
    throw thrown;
  }
}

type StartOptions = RunOptions & { readonly undo: (() => unknown)[] };

async function start(
  assignment: GatewayAssignment,
  link: GatewayLink,
  { log, signal, undo, ...options }: StartOptions,
): Promise<Gateway> {
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const { profile } = assignment;
  const startedAt = performance.now();
  const phase = (name: string, leaseMs = PHASE_LEASE_MS) => {
    signal.throwIfAborted();
    link.phase(name, leaseMs);
  };
  let adapters: readonly PlatformAdapter[] = [];
  let isReady = false;
  const collect = (): GatewayReport => collectReport(adapters, turns);
  const reporter = new Reporter({ link, intervalMs: timings.reportIntervalMs, collect });

  phase('opening the session store');
  const agentLoading = createDriver(assignment, log);
  // it is awaited below; until then its failure must not count as unhandled
  agentLoading.catch(() => {});
  const store = await openSessionStore({
    path: join(assignment.stateDir, 'state.db'),
    onHealth: (trouble) => reporter.setTrouble('store', trouble),
  });
  undo.push(() => store.close());
  const agent = await agentLoading;
  const turns: TurnRunner = new TurnRunner({
    profile,
    store,
    agent,
    onWork: () => reporter.changed(),
  });

  const health = (): GatewayHealth => ({
    profile,
    version: packageVersion(),
    phase: turns.isRefusing ? 'draining' : isReady ? 'ready' : 'starting',
    trouble: reporter.trouble,
    report: collect(),
  });
  const onBroken = (thrown: unknown) =>
    log.error('an answer broke', {
      stack: thrown instanceof Error ? thrown.stack : messageOf(thrown),
    });

  phase('opening the platforms');
  adapters = await createAdapters(assignment, {
    profile,
    version: packageVersion(),
    timings,
    turns,
    health,
    onBroken,
    listen: (address, onConnection) => link.listen(address, onConnection),
  });
  undo.push(() => Promise.all(adapters.map((adapter) => adapter.close(0))));
  await Promise.all(adapters.map((adapter) => adapter.open()));

  phase('asking itself for its health', timings.selfCheckMs);
  await verify(adapters, timings.selfCheckMs, signal);
  signal.throwIfAborted();
  isReady = true;
  reporter.ready();
  log.info('ready', {
    tookMs: Math.round(performance.now() - startedAt),
    recovered: store.recovered,
  });
  return new Gateway({ turns, adapters, store, reporter, timings, log, release: () => {} });
}

function collectReport(adapters: readonly PlatformAdapter[], turns: TurnRunner): GatewayReport {
  return {
    platforms: adapters.map((adapter) => adapter.report()),
    work: turns.work,
    listen: adapters.flatMap((adapter) => adapter.address() ?? []),
  };
}

async function verify(
  adapters: readonly PlatformAdapter[],
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), clampTimerMs(limitMs));
  const give = AbortSignal.any([limit.signal, signal]);
  try {
    await Promise.all(adapters.map((adapter) => adapter.verify(give)));
  } finally {
    clearTimeout(timer);
  }
}
