import type { GatewayAssignment } from '../core/assignment.js';
import { MAX_TIMER_MS } from '../core/durations.js';
import type { DrainReason } from '../core/ipc.js';
import type { GatewayReport } from '../core/work.js';
import { verdictOf } from './exit-verdict.js';
import type { Gateway } from './gateway.js';
import { lastWordsOf } from './last-words.js';
import { createStandaloneLink, type StandaloneEars } from './link/standalone.js';
import { createLog, type GatewayLog } from './log.js';
import { runGateway } from './run.js';
import { testifyToSignal } from './testify.js';
import type { GatewayTimings } from './timings.js';
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
}

/** What a signal asks for; a second one of any kind hurries. */
const SIGNALS = { SIGTERM: 'stop', SIGINT: 'stop', SIGUSR2: 'restart' } as const;

/**
 * One gateway in the foreground, without a supervisor: binds by itself, listens to signals.
 * @returns the exit code; what a refusal has to say is on standard error by then
 */
export async function runStandaloneGateway(
  assignment: GatewayAssignment,
  options: StandaloneOptions = {},
): Promise<number> {
  const life = new StandaloneLife(options);
  const removers = Object.entries(SIGNALS).map(([signal, reason]) => {
    const handler = () => life.hear(signal, reason);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  try {
    return await life.run(assignment);
  } catch (thrown) {
    const words = lastWordsOf(thrown);
    process.stderr.write(words.text);
    return words.exitCode;
  } finally {
    for (const remove of removers) remove();
  }
}

class StandaloneLife {
  readonly #options: StandaloneOptions;
  readonly #startAbort = new AbortController();
  readonly #asked: Promise<DrainReason>;
  #ask: (reason: DrainReason) => void = () => {};
  #reason: DrainReason | undefined;
  #gateway: Gateway | undefined;
  #endWithinMs = MAX_TIMER_MS;
  #assignment: GatewayAssignment | undefined;
  #log: GatewayLog | undefined;

  constructor(options: StandaloneOptions) {
    this.#options = options;
    this.#asked = new Promise((resolve) => {
      this.#ask = resolve;
    });
  }

  async run(assignment: GatewayAssignment): Promise<number> {
    const { drainLimitMs, guardAfterDrainMs } = assignment.budgets;
    this.#endWithinMs = drainLimitMs + guardAfterDrainMs;
    const base = { pid: process.pid, profile: assignment.profile };
    const log = createLog((line) => process.stdout.write(line), base);
    this.#assignment = assignment;
    this.#log = log;
    const restartWanted = () => this.leave('restart');
    const link = createStandaloneLink({ ...earsOf(this.#options), restartWanted });
    const { signal } = this.#startAbort;
    const { timings = {}, watchdog } = this.#options;
    const observer = observeTurns(watchdog, assignment);
    try {
      this.#gateway = await runGateway(assignment, link, { log, signal, timings, observer });
    } catch (thrown) {
      // a start that was cut short on purpose is no failure
      if (this.#reason !== undefined) return codeAfter(this.#reason);
      throw thrown;
    }
    const reason = await this.#asked;
    await this.#gateway.drain(reason, assignment.drainMs);
    return codeAfter(reason);
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
      return;
    }
    this.#reason = reason;
    this.#options.onStopping?.(reason);
    this.#options.watchdog?.stopping(this.#endWithinMs);
    this.#startAbort.abort();
    this.#ask(reason);
  }
}

function codeAfter(reason: DrainReason): number {
  return verdictOf({ restartRequested: reason === 'restart' });
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
