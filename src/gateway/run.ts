import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { clampTimerMs } from '../core/durations.js';
import { messageOf } from '../core/errors.js';
import { packageVersion } from '../core/version.js';
import { createDriver } from './agents/create-driver.js';
import { heedDrainRequests } from './drain/heed-requests.js';
import { Gateway } from './gateway.js';
import type { ApiMounts } from './guests/mounts.js';
import { endedBadly, openLedger } from './ledger.js';
import type { GatewayLink } from './link/port.js';
import type { GatewayLog } from './log.js';
import { tellDown, tellUp } from './notices/lifecycle-notices.js';
import { createAdapters } from './platforms/create-adapters.js';
import type { Announcement, PlatformAdapter, PlatformHost } from './platforms/port.js';
import type { ClaimedProfile } from './profile-lock.js';
import { Reporter } from './reporter.js';
import { openDesk } from './restart/open-desk.js';
import type { RestartDesk } from './restart/restart-desk.js';
import { RESUME_TIMES, resumeInterrupted } from './resume/resumer.js';
import { openSessionStore } from './sessions/store.js';
import { takeTenure } from './tenure.js';
import { DEFAULT_TIMINGS, type GatewayTimings } from './timings.js';
import { type LazyContainment, lazyContainment } from './tool-containment.js';
import { openToolProcesses } from './tool-processes.js';
import { NO_OBSERVER, type TurnObserver } from './turns/observer.js';
import { TurnRunner } from './turns/runner.js';
import { Proofs } from './watch/proofs.js';
import { platformParts, storePart } from './watch/proven-parts.js';

export interface RunOptions {
  readonly log: GatewayLog;
  readonly timings?: Partial<GatewayTimings>;
  /** default: the best that this host, or the supervisor, offers */
  readonly containment?: LazyContainment;
  /** watches turns from outside the loop; default: nobody */
  readonly observer?: TurnObserver;
  /** the APIs of profiles that share a process: of the guests, or the one that a guest is among */
  readonly mounts?: ApiMounts;
  /** looks again whom the process serves besides; default: its starter decides that */
  readonly rescan?: (() => readonly string[]) | undefined;
  /** the profile's lock, when its starter took it already */
  readonly early?: ClaimedProfile | undefined;
  /** aborted when the start is no longer wanted */
  readonly signal: AbortSignal;
}

/** What one step of the start may take before it counts as stuck. */
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
  const { interruptGraceMs } = assignment.budgets;
  const timings = { ...DEFAULT_TIMINGS, interruptGraceMs, ...options.timings };
  try {
    return await start({
      assignment,
      link,
      timings,
      undo,
      log: options.log,
      containment: options.containment ?? lazyContainment(assignment),
      observer: options.observer ?? NO_OBSERVER,
      mounts: options.mounts,
      early: options.early,
      rescan: options.rescan,
      signal: options.signal,
    });
  } catch (thrown) {
    for (const step of undo.reverse()) await step();
    options.signal.throwIfAborted();
    throw thrown;
  }
}

interface Start {
  readonly assignment: GatewayAssignment;
  readonly link: GatewayLink;
  readonly timings: GatewayTimings;
  readonly log: GatewayLog;
  readonly containment: LazyContainment;
  readonly observer: TurnObserver;
  readonly mounts: ApiMounts | undefined;
  readonly early: ClaimedProfile | undefined;
  readonly rescan: (() => readonly string[]) | undefined;
  readonly signal: AbortSignal;
  /** how to close again what has been opened, oldest first */
  readonly undo: (() => unknown)[];
}

/** Only wires: the profile's lock first, then inwards out, and ready at the very end. */
async function start(context: Start): Promise<Gateway> {
  const { assignment, link, timings, log, undo } = context;
  const startedAt = performance.now();
  const state = { isReady: false, adapters: [] as readonly PlatformAdapter[] };

  const bornAt = Date.now();
  const announce = (news: Announcement) => {
    for (const adapter of state.adapters) adapter.announce?.(news);
  };
  const processes = openToolProcesses(context, {
    submit: (message) => turns.submit(message),
    announce,
    onCrowded: (crowded) => link.turnCrowded(crowded),
  });
  const agentLoading = createDriver(assignment, log, {
    processes,
    containment: context.containment.get,
  });
  // it is awaited below; until then its failure must not count as unhandled
  agentLoading.catch(() => {});
  enter(context, 'claiming the profile', timings.lockWaitMs);
  const tenure = await takeTenure(assignment, {
    waitMs: timings.lockWaitMs,
    onWait: (owner) => log.warn('another gateway of the profile is alive', { owner }),
    // its owner's own stop is no part of our start
    onReplace: (mayTakeMs) => enter(context, 'replacing the owner', timings.lockWaitMs + mayTakeMs),
    signal: context.signal,
    early: context.early,
  });
  undo.push(() => tenure.release());
  const ledger = openLedger(assignment, log);
  const isSuspect = endedBadly(ledger.earlier);
  // a start that fails on a database that is suspect leaves it suspect
  undo.push(() => ledger.exited(!isSuspect));

  enter(context, 'opening the session store', isSuspect ? timings.integrityCheckMs : 0);
  const reporter = new Reporter({
    link,
    intervalMs: timings.reportIntervalMs,
    collect: () => ({
      platforms: state.adapters.map((adapter) => adapter.report()),
      work: turns.work,
      listen: state.adapters.flatMap((adapter) => adapter.address() ?? []),
      held: restart.pending ?? requests.hold,
    }),
  });
  const store = await openSessionStore({
    path: join(assignment.stateDir, 'state.db'),
    isSuspect,
    onHealth: (trouble) => reporter.setTrouble('store', trouble),
  });
  undo.push(() => store.close());
  enter(context, 'looking for processes of an earlier gateway');
  undo.push(() => processes.close());
  await processes.recover();
  const agent = await agentLoading;
  const { profile } = assignment;
  const onWork = () => reporter.changed();
  const { claims } = processes;
  const { inactivity } = assignment;
  const { observer } = context;
  const turns: TurnRunner = new TurnRunner({
    profile,
    store,
    agent,
    onWork,
    claims,
    inactivity,
    observer,
    maxTurns: assignment.maxTurns,
  });

  const { stateDir } = assignment;
  const heed = { turns, log, reporter };
  const requests = await heedDrainRequests(stateDir, timings.drainRequestMs, heed);
  undo.push(() => requests.stop());

  enter(context, 'opening the platforms');
  const restart = openDesk(context, turns, () => reporter.changed());
  undo.push(() => restart.stop());
  const host = createHost(context, { turns, reporter, restart, isReady: () => state.isReady });
  state.adapters = await createAdapters(assignment, host);
  undo.push(() => Promise.all(state.adapters.map((adapter) => adapter.close(0))));
  await Promise.all(state.adapters.map((adapter) => adapter.open()));

  enter(context, 'asking itself for its health', timings.selfCheckMs);
  await verify(state.adapters, timings.selfCheckMs, context.signal);
  context.signal.throwIfAborted();
  state.isReady = true;
  tenure.serving();
  reporter.ready();
  const tookMs = Math.round(performance.now() - startedAt);
  log.info('ready', { tookMs, recovered: store.recovered });
  const { adapters } = state;
  const platforms = assignment.lifecycleNotices;
  const notices = { store, turns, platforms, announce };
  tellUp(notices);
  const { resume: settings } = assignment;
  const times = RESUME_TIMES;
  const resumed = { settings, store, turns, adapters, announce, times, log, bornAt };
  // it is ready meanwhile: new messages of those conversations wait, everything else does not
  resumeInterrupted(resumed).catch((thrown: unknown) => {
    log.error('nothing was taken up', { reason: messageOf(thrown) });
  });
  const proofs = new Proofs({
    parts: [...platformParts(adapters, { timings, reporter }), storePart(store)],
    policy: assignment.watchdog,
    onTrouble: (name, detail) => {
      if (detail === undefined) log.info('works again', { part: name });
      else log.error('a part does not work', { part: name, detail });
      reporter.setTrouble(name, detail);
    },
  });
  return new Gateway({
    proofs,
    turns,
    adapters,
    processes,
    store,
    reporter,
    timings,
    log,
    inactivityMs: inactivity.limitMs,
    budgets: assignment.budgets,
    restart,
    tellDown: (reason) => tellDown(notices, reason),
    requests,
    tenure,
    ledger,
  });
}

function enter({ signal, link }: Start, phase: string, mayTakeMs = 0): void {
  signal.throwIfAborted();
  link.phase(phase, PHASE_LEASE_MS + mayTakeMs);
}

interface HostParts {
  readonly turns: TurnRunner;
  readonly reporter: Reporter;
  readonly restart: RestartDesk;
  readonly isReady: () => boolean;
}

function createHost(
  { assignment, link, mounts, rescan, timings, log }: Start,
  { turns, reporter, restart, isReady }: HostParts,
): PlatformHost {
  const { profile } = assignment;
  const version = packageVersion();
  const phase = () => {
    if (turns.isRefusing) return 'draining';
    return isReady() ? 'ready' : 'starting';
  };
  return {
    profile,
    version,
    timings,
    turns,
    restart,
    health: () => ({
      profile,
      version,
      phase: phase(),
      trouble: reporter.trouble,
      report: reporter.current(),
    }),
    onBroken: (thrown) => {
      const stack = thrown instanceof Error ? thrown.stack : messageOf(thrown);
      log.error('an answer broke', { stack });
    },
    listen: (address, onConnection) => link.listen(address, onConnection),
    mounts,
    rescan,
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
