import type { GatewayAssignment } from '../../core/assignment.js';
import { clampTimerMs } from '../../core/durations.js';
import { GatewardenError, messageOf } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import { backoffMs, DEFAULT_RESTART_POLICY, type RestartPolicy } from '../../core/judge.js';
import type { GatewayReport } from '../../core/work.js';
import { createStandaloneLink } from '../link/standalone.js';
import type { GatewayLog } from '../log.js';
import type { RunOptions } from '../run.js';
import type { GuestEnd } from './guest.js';
import { Guests } from './guests.js';

export interface OwnGuestsFacts {
  /**
   * Who is to be served now, as the configuration says; undefined: nobody shares the process.
   * @throws GatewardenError when it cannot be read
   */
  readonly wanted: () => readonly GatewayAssignment[] | undefined;
  readonly logOf: (profile: string) => GatewayLog;
  readonly optionsFor: (assignment: GatewayAssignment) => Pick<RunOptions, 'containment' | 'observer'>;
  readonly onReady: (profile: string, report: GatewayReport) => void;
  /** who is served, or is about to be, has changed */
  readonly onServed: (profiles: readonly string[]) => void;
  readonly policy?: RestartPolicy;
}

/** How one guest does over its starts. */
interface Record {
  failures: number;
  servingSince: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The profiles that a gateway without a supervisor serves besides its own. It is their supervisor:
 * one that ends is started again, later each time; one that no retry can help waits for the next
 * look at the configuration; and none of them is ever the end of the process.
 */
export class OwnGuests {
  readonly guests: Guests;
  readonly #facts: OwnGuestsFacts;
  readonly #policy: RestartPolicy;
  readonly #records = new Map<string, Record>();
  /** starting, serving or leaving */
  readonly #present = new Map<string, string>();
  #wanted: ReadonlyMap<string, GatewayAssignment> = new Map();
  #isLeaving = false;

  constructor(facts: OwnGuestsFacts) {
    this.#facts = facts;
    this.#policy = facts.policy ?? DEFAULT_RESTART_POLICY;
    this.guests = new Guests({
      linkFor: (profile) => this.#linkOf(profile),
      optionsFor: (assignment) => ({
        log: facts.logOf(assignment.profile),
        ...facts.optionsFor(assignment),
      }),
      onServed: () => undefined,
      onEnded: (profile, end) => this.#judgeEnd(profile, end),
    });
  }

  /**
   * Takes the configuration as it is now: who is newly wanted is started, who is wanted no longer
   * leaves, whose inputs differ is started again.
   * @returns who is served, or is about to be
   */
  look(): readonly string[] {
    const wanted = this.#read();
    if (wanted === undefined || this.#isLeaving) return this.served;
    this.#wanted = new Map(wanted.map((assignment) => [assignment.profile, assignment]));
    for (const [profile, inputs] of this.#present) {
      const assignment = this.#wanted.get(profile);
      if (assignment !== undefined && inputsOf(assignment) === inputs) continue;
      const reason = assignment === undefined ? 'stop' : 'restart';
      this.guests.unserve(profile, reason, assignment?.drainMs ?? 0);
    }
    for (const profile of this.#wanted.keys()) this.#begin(profile);
    this.#facts.onServed(this.served);
    return this.served;
  }

  get served(): readonly string[] {
    return [...this.#present.keys()].filter((profile) => this.#wanted.has(profile)).sort();
  }

  /** Our process leaves and takes them along; each has its own budget. */
  async leaveAll(): Promise<void> {
    this.#isLeaving = true;
    for (const { timer } of this.#records.values()) clearTimeout(timer);
    await this.guests.leaveAll(Number.POSITIVE_INFINITY);
  }

  /** A configuration that cannot be read ends nobody who is served with the last one. */
  #read(): readonly GatewayAssignment[] | undefined {
    try {
      const wanted = this.#facts.wanted();
      // one that has served nobody yet stays what it is: alone
      return wanted ?? (this.#records.size === 0 ? undefined : []);
    } catch (thrown) {
      if (!(thrown instanceof GatewardenError)) throw thrown;
      const log = this.#facts.logOf('default');
      log.error('who is to be served cannot be read', { reason: messageOf(thrown) });
      return undefined;
    }
  }

  #begin(profile: string): void {
    const assignment = this.#wanted.get(profile);
    if (assignment === undefined || this.#isLeaving || this.#present.has(profile)) return;
    const record = this.#recordOf(profile);
    clearTimeout(record.timer);
    record.servingSince = undefined;
    this.#present.set(profile, inputsOf(assignment));
    this.guests.serve(assignment);
  }

  #judgeEnd(profile: string, end: GuestEnd): void {
    this.#present.delete(profile);
    if (this.#isLeaving) return;
    this.#tellEnd(profile, end);
    if (this.#wanted.has(profile)) this.#followUp(profile, end);
    this.#facts.onServed(this.served);
  }

  #followUp(profile: string, { exitCode }: GuestEnd): void {
    switch (exitCode) {
      case EXIT.config:
      case EXIT.usage:
        return;
      case EXIT.done:
      case EXIT.planned:
        this.#begin(profile);
        return;
      default:
        this.#beginLater(profile);
    }
  }

  #beginLater(profile: string): void {
    const record = this.#recordOf(profile);
    const servedMs = performance.now() - (record.servingSince ?? performance.now());
    if (servedMs >= this.#policy.healthyAfterMs) record.failures = 0;
    const delayMs = backoffMs(this.#policy, record.failures++, Math.random());
    const again = () => {
      this.#begin(profile);
      this.#facts.onServed(this.served);
    };
    record.timer = setTimeout(again, clampTimerMs(delayMs)).unref();
    this.#facts.logOf(profile).warn('it is started again', { delayMs });
  }

  #tellEnd(profile: string, { exitCode, reason, words }: GuestEnd): void {
    const log = this.#facts.logOf(profile);
    if (words === undefined) {
      log.info('is served no longer', { exitCode, reason });
      return;
    }
    const { detail, remedy } = words;
    log.error('cannot be served', { exitCode, detail, remedy });
  }

  #recordOf(profile: string): Record {
    const record = this.#records.get(profile) ?? {
      failures: 0,
      servingSince: undefined,
      timer: undefined,
    };
    this.#records.set(profile, record);
    return record;
  }

  #linkOf(profile: string) {
    return createStandaloneLink({
      phase: () => {},
      ready: (report) => {
        this.#recordOf(profile).servingSince = performance.now();
        this.#facts.onReady(profile, report);
      },
      report: () => {},
      degraded: () => {},
      recovered: () => {},
      turnCrowded: () => {},
      restartWanted: () => {
        const { drainMs = 0 } = this.#wanted.get(profile) ?? {};
        this.guests.unserve(profile, 'restart', drainMs);
      },
    });
  }
}

/** Two starts with equal inputs are the same start. */
function inputsOf(assignment: GatewayAssignment): string {
  return JSON.stringify(assignment);
}
