import type { DrainReason } from '../core/ipc.js';
import { DRAIN_POLICY, drain } from './drain.js';
import type { GatewayLog } from './log.js';
import type { PlatformAdapter } from './platforms/port.js';
import type { GatewayProcesses } from './processes/open-processes.js';
import type { Reporter } from './reporter.js';
import type { SessionStore } from './sessions/store.js';
import type { GatewayTimings } from './timings.js';
import type { TurnRunner } from './turns/runner.js';

export interface GatewayParts {
  readonly turns: TurnRunner;
  readonly adapters: readonly PlatformAdapter[];
  readonly processes: GatewayProcesses;
  readonly store: SessionStore;
  readonly reporter: Reporter;
  readonly timings: GatewayTimings;
  readonly log: GatewayLog;
  /** lets go of the profile, after everything else */
  readonly release: () => void;
}

/** A gateway that serves; its one way out is a drain. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #hurry = new AbortController();
  #drained: Promise<number> | undefined;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** May be called again: the first reason decides. @returns the exit code */
  drain(reason: DrainReason, budgetMs: number): Promise<number> {
    this.#drained ??= this.#drain(reason, budgetMs);
    return this.#drained;
  }

  /** Interrupts what a drain still waits for, also one that begins later. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #drain(reason: DrainReason, budgetMs: number): Promise<number> {
    const { turns, store, reporter, log, release } = this.#parts;
    log.info('draining', { reason, budgetMs, active: turns.work.length });
    const hurry = this.#hurry.signal;
    await drain(this.#parts, { reason, budgetMs, hurry });
    reporter.stop();
    const lost = store.close();
    if (lost > 0) log.error('messages were lost: the disk took no writes', { lost });
    release();
    const { exitCode } = DRAIN_POLICY[reason];
    log.info('drained', { reason, exitCode });
    return exitCode;
  }
}
