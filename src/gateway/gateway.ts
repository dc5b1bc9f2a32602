import type { GatewayBudgets } from '../core/budgets.js';
import type { DrainReason } from '../core/ipc.js';
import type { Ledger } from '../store/ledger/ledger.js';
import { type DrainOrder, type DrainOutcome, drain } from './drain/drain.js';
import type { DrainRequestWatch } from './drain/drain-request-watch.js';
import type { GatewayLog } from './log.js';
import type { PlatformAdapter } from './platforms/port.js';
import type { GatewayProcesses } from './processes/open-processes.js';
import type { Reporter } from './reporter.js';
import type { RestartDesk } from './restart/restart-desk.js';
import type { SessionStore } from './sessions/store.js';
import type { Tenure } from './tenure.js';
import type { GatewayTimings } from './timings.js';
import type { TurnRunner } from './turns/runner.js';
import type { Proofs } from './watch/proofs.js';

export interface GatewayParts {
  readonly turns: TurnRunner;
  readonly adapters: readonly PlatformAdapter[];
  readonly processes: GatewayProcesses;
  readonly store: SessionStore;
  readonly reporter: Reporter;
  readonly timings: GatewayTimings;
  readonly log: GatewayLog;
  /** silence after which a turn counts as wedged; 0: never */
  readonly inactivityMs: number;
  readonly budgets: Pick<GatewayBudgets, 'jobsDrainMs' | 'drainLimitMs' | 'guardAfterDrainMs'>;
  /** the marker file; a stop is stronger than it */
  readonly requests: Pick<DrainRequestWatch, 'stop'>;
  /** what the parts have to show as long as we serve */
  readonly proofs: Pick<Proofs, 'stop'>;
  /** where a restart is asked for from inside: whoever drains has decided what follows */
  readonly restart: Pick<RestartDesk, 'stop'>;
  readonly tellDown: (reason: DrainReason) => void;
  /** of its own life: how it ended is read at the next start */
  readonly ledger: Pick<Ledger, 'draining' | 'exited'>;
  /** let go of after everything else */
  readonly tenure: Pick<Tenure, 'draining' | 'release' | 'serves'>;
}

/** A gateway that serves; its one way out is a drain. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #hurry = new AbortController();
  #drained: Promise<DrainOutcome> | undefined;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /**
   * May be called again: the first reason decides.
   * @param graceMs what interrupted turns may take to let go; default: the profile's setting
   */
  drain(reason: DrainReason, budgetMs: number, graceMs?: number): Promise<DrainOutcome> {
    const { timings } = this.#parts;
    const interruptGraceMs = Math.min(graceMs ?? Infinity, timings.interruptGraceMs);
    const hurry = this.#hurry.signal;
    this.#drained ??= this.#drain({ reason, budgetMs, interruptGraceMs, hurry });
    return this.#drained;
  }

  /** Interrupts what a drain still waits for, also one that begins later. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Its process is these profiles too, from now on. */
  serves(profiles: readonly string[]): void {
    this.#parts.tenure.serves(profiles);
  }

  /**
   * After a drain, for a process that lives on: resolves once what was cut off has let go at last,
   * and the profile with it.
   */
  async letGo(): Promise<void> {
    const outcome = await this.#drained;
    if (outcome === undefined || outcome.running.length === 0) return;
    const { tenure, turns } = this.#parts;
    const forever = new AbortController().signal;
    while (turns.work.length > 0) await turns.changed(forever);
    this.#closeStore({ running: [] });
    tenure.release();
  }

  async #drain(order: DrainOrder): Promise<DrainOutcome> {
    const { turns, reporter, requests, log, ledger, proofs, tenure, restart } = this.#parts;
    const { reason, budgetMs, interruptGraceMs } = order;
    requests.stop();
    restart.stop();
    ledger.draining();
    proofs.stop();
    log.info('draining', { reason, budgetMs, interruptGraceMs, active: turns.work.length });
    tenure.draining();
    const outcome = await drain(this.#parts, order);
    reporter.stop();
    const isSaved = this.#closeStore(outcome);
    const { interrupted, wedged, running } = outcome;
    const clean = outcome.clean && isSaved;
    ledger.exited(clean);
    // who may still write keeps the profile: its death frees it
    if (running.length === 0) tenure.release();
    log.info('drained', {
      reason,
      clean,
      interrupted: interrupted.map(({ id }) => id),
      wedged: wedged.map(({ id }) => id),
      running: running.map(({ id }) => id),
    });
    return { ...outcome, clean };
  }

  /** @returns whether everything was saved */
  #closeStore({ running }: Pick<DrainOutcome, 'running'>): boolean {
    const { store, log } = this.#parts;
    if (running.length > 0) {
      // whoever does not let go may still write, and a database is never closed under a writer
      log.warn('the store stays open: turns have not let go', { running: running.length });
      return false;
    }
    const lost = store.close();
    if (lost > 0) log.error('messages were lost: the disk took no writes', { lost });
    return lost === 0;
  }
}
