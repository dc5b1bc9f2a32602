import type { Socket } from 'node:net';
import type { GatewayAssignment } from '../core/assignment.js';
import { ownGuardBudget } from '../core/budgets.js';
import { GatewardenError } from '../core/errors.js';
import type { DrainReason, FromWorker, ToWorker } from '../core/ipc.js';
import type { Owner } from '../core/owner.js';
import { verdictOf } from './exit-verdict.js';
import type { Gateway } from './gateway.js';
import type { GuestEnd } from './guests/guest.js';
import { Guests } from './guests/guests.js';
import { type LastWords, lastWordsOf } from './last-words.js';
import { SupervisedLink } from './link/supervised.js';
import { createLog, type GatewayLog } from './log.js';
import { runGateway } from './run.js';
import { testifyToSignal } from './testify.js';
import { DEFAULT_TIMINGS, type GatewayTimings } from './timings.js';
import { type GatewayWatchdog, observeTurns } from './watch/gateway-watchdog.js';

/** What a worker does to the process it lives in. */
export interface WorkerEffects {
  send(message: FromWorker): void;
  writeLog(line: string): void;
  becomeKnownAs(profile: string): void;
  /** from here on with the account's rights alone; @throws GatewardenError account-unusable */
  becomeAccount(assignment: GatewayAssignment): void;
  /** says the last words, if any, and ends the process; the first call decides */
  exit(code: number, words: LastWords | undefined): void;
  /** undefined: nobody watches this loop */
  readonly watchdog: GatewayWatchdog | undefined;
  readonly timings?: Partial<GatewayTimings>;
}

/** A supervised gateway from birth to exit: nobody at first, then one profile, and its guests. */
export class WorkerLife {
  readonly #effects: WorkerEffects;
  readonly #timings: GatewayTimings;
  readonly #link: SupervisedLink;
  readonly #guests: Guests;
  readonly #startAbort = new AbortController();
  #assignment: GatewayAssignment | undefined;
  /** settles with the gateway, or with undefined when the start ended without one */
  #gateway: Promise<Gateway | undefined> | undefined;
  #leaving = false;
  #terminated = false;
  #restartTimer: NodeJS.Timeout | undefined;
  /** the signal that ended us, when the supervisor did not send it */
  #endedBy: string | undefined;

  constructor(effects: WorkerEffects) {
    this.#effects = effects;
    this.#timings = { ...DEFAULT_TIMINGS, ...effects.timings };
    const send = (message: FromWorker) => effects.send(message);
    this.#link = new SupervisedLink(send, () => this.#awaitRestart());
    this.#guests = new Guests({
      linkFor: (profile) => this.#link.forGuest(profile),
      optionsFor: (assignment) => ({
        log: this.#logOf(assignment),
        observer: observeTurns(effects.watchdog, assignment, 'guest'),
      }),
      onServed: (profiles) => void this.#gateway?.then((gateway) => gateway?.serves(profiles)),
      onEnded: (profile, end) => this.#tellUnserved(profile, end),
    });
  }

  /** `handle` is the socket that travels with a `connection`. */
  take(message: ToWorker, handle: Socket | undefined): void {
    switch (message.code) {
      case 'assign':
        this.#become(message.assignment);
        break;
      case 'drain':
        this.leave(message.reason, message.budgetMs);
        break;
      case 'hurry':
        if (message.profile === undefined) this.#hurry();
        else this.#guests.hurry(message.profile);
        break;
      case 'serve':
        if (!this.#leaving) this.#guests.serve(message.assignment);
        break;
      case 'unserve':
        this.#guests.unserve(message.profile, message.reason, message.budgetMs);
        break;
      case 'listen-result':
        this.#link.takeListenResult(message);
        break;
      case 'connection':
        this.#link.takeConnection(message.id, handle);
        break;
      default:
        message satisfies never;
    }
  }

  /**
   * A SIGTERM that no message announced is somebody else's: a signal is not what an operator
   * wants, so the end counts as a failure and we are started again. A second one is impatient; a
   * drain message that came before is not.
   */
  terminate(): void {
    if (this.#terminated) this.#hurry();
    this.#terminated = true;
    if (!this.#leaving && this.#assignment !== undefined) {
      // one that another takes the place of was asked to go (spec/supervision.md 1.3)
      const takenOver = this.#testify(this.#assignment);
      if (takenOver === undefined) this.#endedBy = 'SIGTERM';
    }
    this.leave('stop');
  }

  /** A restart asked for by a signal: the supervisor's listeners then wait for our successor. */
  restart(detail: string): void {
    if (this.#leaving) return;
    if (this.#assignment === undefined) this.leave('restart');
    else this.#link.restartWanted(detail);
  }

  loseSupervisor(): void {
    this.#link.failAll('the supervisor is gone');
    const budgetMs = Math.min(this.#assignment?.drainMs ?? 0, this.#timings.orphanDrainMs);
    this.leave('supervisor-lost', budgetMs);
  }

  /** Drains and exits; the first reason decides the code. */
  leave(reason: DrainReason, budgetMs = this.#assignment?.drainMs ?? 0): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#startAbort.abort();
    this.#expectOurEnd();
    this.#drainAndExit(reason, budgetMs).catch((thrown: unknown) => this.fail(thrown));
  }

  /** The end by an error: refusals with their own code, anything else as a bug. */
  fail(thrown: unknown): void {
    this.#leaving = true;
    const words = lastWordsOf(thrown);
    this.#effects.exit(words.exitCode, words);
  }

  async #drainAndExit(reason: DrainReason, budgetMs: number): Promise<void> {
    const gateway = await this.#gateway;
    const graceMs = this.#endedBy === undefined ? undefined : this.#timings.signalGraceMs;
    await Promise.all([gateway?.drain(reason, budgetMs, graceMs), this.#guests.leaveAll(budgetMs)]);
    const code = verdictOf({
      endedByForeignSignal: this.#endedBy !== undefined,
      restartRequested: reason === 'restart',
    });
    if (this.#endedBy === undefined) {
      this.#effects.exit(code, undefined);
      return;
    }
    const profile = this.#assignment?.profile ?? '';
    const words = lastWordsOf(
      new GatewardenError('ended-from-outside', { signal: this.#endedBy, profile }),
    );
    this.#effects.exit(code, words);
  }

  /** The supervisor tells our watchdog too, and may give less; nobody else tells it of a signal. */
  #expectOurEnd(): void {
    if (this.#assignment === undefined) return;
    this.#effects.watchdog?.stopping(ownGuardBudget(this.#assignment.budgets));
  }

  /** A supervisor that does not answer must not keep us from what was asked for. */
  #awaitRestart(): void {
    const { restartAnswerMs } = this.#timings;
    this.#restartTimer ??= setTimeout(() => this.leave('restart'), restartAnswerMs).unref();
  }

  #testify(assignment: GatewayAssignment): Owner | undefined {
    const { profile, generation } = assignment;
    const base = { pid: process.pid, profile, generation };
    return testifyToSignal(
      'SIGTERM',
      assignment,
      createLog((line) => this.#effects.writeLog(line), base),
    );
  }

  #hurry(): void {
    this.#gateway?.then((gateway) => gateway?.hurry());
    this.#guests.hurryAll();
  }

  #become(assignment: GatewayAssignment): void {
    if (this.#leaving) return;
    if (this.#assignment !== undefined) {
      const got = `a second assignment, to ${assignment.profile}`;
      throw new GatewardenError('protocol-broken', { sender: 'the supervisor', got });
    }
    this.#assignment = assignment;
    this.#effects.becomeKnownAs(assignment.profile);
    try {
      this.#effects.becomeAccount(assignment);
    } catch (thrown) {
      this.fail(thrown);
      return;
    }
    const log = this.#logOf(assignment);
    const { signal } = this.#startAbort;
    const { watchdog } = this.#effects;
    // of a stranger's the supervisor knows nothing, and our loop may stand still
    watchdog?.stoppingOn(['SIGTERM'], ownGuardBudget(assignment.budgets));
    const observer = observeTurns(watchdog, assignment, 'own');
    const { mounts } = this.#guests;
    const options = { log, signal, observer, mounts };
    this.#gateway = runGateway(assignment, this.#link, options).catch((thrown: unknown) => {
      // a start that a drain cut short ends with the drain's code, not as a failure
      if (!signal.aborted) this.fail(thrown);
      return undefined;
    });
  }

  /** Each line says whose it is: the supervisor keeps a log for each. */
  #logOf({ profile, generation }: GatewayAssignment): GatewayLog {
    const base = { pid: process.pid, profile, generation };
    return createLog((line) => this.#effects.writeLog(line), base);
  }

  #tellUnserved(profile: string, { exitCode, words }: GuestEnd): void {
    if (words !== undefined) {
      const { detail, remedy } = words;
      this.#effects.send({ code: 'farewell', profile, exitCode, detail, remedy });
    }
    this.#effects.send({ code: 'unserved', profile, exitCode });
  }
}
