import type { GatewayAssignment } from '../core/assignment.js';
import { type GuardBudget, ownGuardBudget } from '../core/budgets.js';
import { MAX_TIMER_MS } from '../core/durations.js';
import type { DrainReason } from '../core/ipc.js';
import type { GatewayReport } from '../core/work.js';
import { codeAfter, END_SIGNALS, onSignals } from './asked-by-signal.js';
import type { Gateway } from './gateway.js';
import { OwnGuests, type OwnGuestsFacts } from './guests/own-guests.js';
import { lastWordsOf } from './last-words.js';
import { createStandaloneLink, type StandaloneEars } from './link/standalone.js';
import { createLog, type GatewayLog } from './log.js';
import type { ClaimedProfile } from './profile-lock.js';
import { type RunOptions, runGateway } from './run.js';
import { testifyToSignal } from './testify.js';
import type { GatewayTimings } from './timings.js';
import { containmentBeside, type LazyContainment, lazyContainment } from './tool-containment.js';
import { type GatewayWatchdog, observeTurns } from './watch/gateway-watchdog.js';

export interface StandaloneOptions {
  /** told once, when it serves: where a manager is told `READY=1` and the like */
  readonly onReady?: (report: GatewayReport) => void;
  readonly onPhase?: (phase: string, leaseMs: number) => void;
  /** told when a drain begins */
  readonly onStopping?: (reason: DrainReason) => void;
  readonly timings?: Partial<GatewayTimings>;
  /** the thread that watches our loop; undefined: nobody does */
  readonly watchdog?: GatewayWatchdog;
  /** other profiles that share its process */
  readonly guests?: StandaloneGuests | undefined;
  /** the profile's lock, when it was taken already */
  readonly early?: ClaimedProfile | undefined;
}

export type StandaloneGuests = Pick<OwnGuestsFacts, 'wanted' | 'onReady'>;

/**
 * One gateway in the foreground, without a supervisor: binds by itself, listens to signals.
 * @returns the exit code; what a refusal has to say is on standard error by then
 */
export async function runStandaloneGateway(
  assignment: GatewayAssignment,
  options: StandaloneOptions = {},
): Promise<number> {
  const life = new StandaloneLife(options);
  const stopListening = onSignals((signal, reason) => life.hear(signal, reason));
  try {
    return await life.run(assignment);
  } catch (thrown) {
    const words = lastWordsOf(thrown);
    process.stderr.write(words.text);
    return words.exitCode;
  } finally {
    stopListening();
  }
}

class StandaloneLife {
  readonly #options: StandaloneOptions;
  readonly #startAbort = new AbortController();
  readonly #asked: Promise<DrainReason>;
  #ask: (reason: DrainReason) => void = () => {};
  #reason: DrainReason | undefined;
  #gateway: Gateway | undefined;
  #guests: OwnGuests | undefined;
  #guard: GuardBudget = { withinMs: MAX_TIMER_MS, patienceMs: 0 };
  #assignment: GatewayAssignment | undefined;
  #log: GatewayLog | undefined;

  constructor(options: StandaloneOptions) {
    this.#options = options;
    this.#asked = new Promise((resolve) => {
      this.#ask = resolve;
    });
  }

  async run(assignment: GatewayAssignment): Promise<number> {
    this.#guard = ownGuardBudget(assignment.budgets);
    this.#options.watchdog?.stoppingOn(END_SIGNALS, this.#guard);
    const base = { pid: process.pid, profile: assignment.profile };
    const log = createLog(writeLog, base);
    this.#assignment = assignment;
    this.#log = log;
    const restartWanted = () => this.leave('restart');
    const link = createStandaloneLink({ ...earsOf(this.#options), restartWanted });
    const { signal } = this.#startAbort;
    const { early, timings = {}, watchdog } = this.#options;
    const observer = observeTurns(watchdog, assignment, 'own');
    const containment = lazyContainment(assignment);
    const shared = this.#share(containment);
    const options = { log, signal, timings, observer, early, ...shared };
    try {
      this.#gateway = await runGateway(assignment, link, options);
    } catch (thrown) {
      // a start that was cut short on purpose is no failure
      if (this.#reason !== undefined) return codeAfter(this.#reason);
      throw thrown;
    }
    this.#guests?.look();
    const reason = await this.#asked;
    await Promise.all([this.#gateway.drain(reason, assignment.drainMs), this.#guests?.leaveAll()]);
    await containment.close();
    return codeAfter(reason);
  }

  /** What the gateway is given because it may not be alone in its process. */
  #share(containment: LazyContainment): Partial<RunOptions> {
    const { guests, watchdog } = this.#options;
    if (guests === undefined) return { containment };
    const own = new OwnGuests({
      ...guests,
      logOf: (profile) => createLog(writeLog, { pid: process.pid, profile }),
      optionsFor: (assignment) => ({
        containment: containmentBeside(containment, assignment),
        observer: observeTurns(watchdog, assignment, 'guest'),
      }),
      onServed: (profiles) => this.#gateway?.serves(profiles),
    });
    this.#guests = own;
    // the scopes of the others are in it too: it goes when all have left
    const kept = { get: containment.get, close: () => Promise.resolve() };
    return { containment: kept, mounts: own.guests.mounts, rescan: () => own.look() };
  }

  /** A signal: also a manager's stop is one, so each first one is written down. */
  hear(signal: string, reason: DrainReason): void {
    const isFirst = this.#reason === undefined;
    this.leave(reason);
    if (isFirst && this.#assignment !== undefined && this.#log !== undefined) {
      testifyToSignal(signal, this.#assignment, this.#log);
    }
  }

  leave(reason: DrainReason): void {
    if (this.#reason !== undefined) {
      this.#gateway?.hurry();
      this.#guests?.guests.hurryAll();
      return;
    }
    this.#reason = reason;
    this.#options.onStopping?.(reason);
    this.#options.watchdog?.stopping(this.#guard);
    this.#startAbort.abort();
    this.#ask(reason);
  }
}

function writeLog(line: string): void {
  process.stdout.write(line);
}

function earsOf({
  onReady,
  onPhase,
  watchdog,
}: StandaloneOptions): Omit<StandaloneEars, 'restartWanted'> {
  return {
    phase: (phase, leaseMs) => {
      watchdog?.starting(leaseMs);
      onPhase?.(phase, leaseMs);
    },
    ready: (report) => {
      watchdog?.started();
      onReady?.(report);
    },
    report: () => {},
    degraded: () => {},
    recovered: () => {},
    // the log has said it
    turnCrowded: () => {},
  };
}
