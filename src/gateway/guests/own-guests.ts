import type { GatewayAssignment } from '../../core/assignment.js';
import { GatewardenError, messageOf } from '../../core/errors.js';
import type { RestartPolicy } from '../../core/judge.js';
import type { GatewayReport } from '../../core/work.js';
import { createStandaloneLink } from '../link/standalone.js';
import type { GatewayLog } from '../log.js';
import type { RunOptions } from '../run.js';
import type { GuestEnd } from './guest.js';
import { GuestRecord } from './guest-record.js';
import { Guests } from './guests.js';

/** Somebody who is to be served, and how one that ends is started again. */
export interface WantedGuest {
  readonly assignment: GatewayAssignment;
  readonly restart: RestartPolicy;
}

export interface OwnGuestsFacts {
  /**
   * Who is to be served now, as the configuration says; undefined: nobody shares the process.
   * @throws GatewardenError when it cannot be read
   */
  readonly wanted: () => readonly WantedGuest[] | undefined;
  readonly logOf: (profile: string) => GatewayLog;
  readonly optionsFor: (
    assignment: GatewayAssignment,
  ) => Pick<RunOptions, 'containment' | 'observer'>;
  readonly onReady: (profile: string, report: GatewayReport) => void;
  /** who is served, or is about to be, has changed */
  readonly onServed: (profiles: readonly string[]) => void;
}

/**
 * The profiles that a gateway without a supervisor serves besides its own. It is their supervisor,
 * and judges their ends as one does: one that ends is started again, later each time; one that no
 * retry can help waits for the next look at the configuration; and none of them is ever the end of
 * the process.
 */
export class OwnGuests {
  readonly guests: Guests;
  readonly #facts: OwnGuestsFacts;
  readonly #records = new Map<string, GuestRecord>();
  /** starting, serving or leaving */
  readonly #present = new Set<string>();
  #wanted: ReadonlyMap<string, WantedGuest> = new Map();
  #isLeaving = false;

  constructor(facts: OwnGuestsFacts) {
    this.#facts = facts;
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
   * leaves, whose inputs differ is started again; who waits for its next start goes on waiting,
   * unless its inputs differ.
   * @returns who is served, or is about to be
   */
  look(): readonly string[] {
    const wanted = this.#read();
    if (wanted === undefined || this.#isLeaving) return this.served;
    this.#wanted = new Map(wanted.map((guest) => [guest.assignment.profile, guest]));
    for (const profile of this.#present) {
      const guest = this.#wanted.get(profile);
      if (guest !== undefined && this.#isKnown(guest)) continue;
      const reason = guest === undefined ? 'stop' : 'restart';
      this.guests.unserve(profile, reason, guest?.assignment.drainMs ?? 0);
    }
    for (const [profile, record] of this.#records) {
      if (!this.#wanted.has(profile)) record.dismiss();
    }
    for (const [profile, guest] of this.#wanted) {
      const isWaiting = this.#records.get(profile)?.isWaiting === true;
      if (!isWaiting || !this.#isKnown(guest)) this.#begin(profile);
    }
    this.#facts.onServed(this.served);
    return this.served;
  }

  get served(): readonly string[] {
    return [...this.#present].filter((profile) => this.#wanted.has(profile)).sort();
  }

  /** Our process leaves and takes them along; each has its own budget. */
  async leaveAll(): Promise<void> {
    this.#isLeaving = true;
    for (const record of this.#records.values()) record.dismiss();
    await this.guests.leaveAll(Number.POSITIVE_INFINITY);
  }

  /** A configuration that cannot be read ends nobody who is served with the last one. */
  #read(): readonly WantedGuest[] | undefined {
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

  /** It was started with just these inputs. */
  #isKnown({ assignment }: WantedGuest): boolean {
    return this.#records.get(assignment.profile)?.isAs(assignment) === true;
  }

  #begin(profile: string, isProbe = false): void {
    const guest = this.#wanted.get(profile);
    if (guest === undefined || this.#isLeaving || this.#present.has(profile)) return;
    this.#recordOf(profile).began(guest.assignment, Date.now(), isProbe);
    this.#present.add(profile);
    this.guests.serve(guest.assignment);
  }

  #judgeEnd(profile: string, end: GuestEnd): void {
    this.#present.delete(profile);
    if (this.#isLeaving) return;
    this.#tellEnd(profile, end);
    const guest = this.#wanted.get(profile);
    if (guest !== undefined) this.#followUp(guest, end);
    this.#facts.onServed(this.served);
  }

  #followUp({ assignment: { profile }, restart: policy }: WantedGuest, end: GuestEnd): void {
    const random = Math.random();
    const verdict = this.#recordOf(profile).ended(end, Date.now(), { policy, random });
    if (verdict.storm) this.#facts.logOf(profile).warn('it ends again and again');
    switch (verdict.kind) {
      // it left because nobody wanted it, and meanwhile somebody does
      case 'rest':
      case 'restart-now':
        this.#begin(profile);
        return;
      case 'restart-after':
        this.#beginLater(profile, verdict.delayMs, false);
        return;
      case 'park':
        if (verdict.probeAfterMs !== undefined) {
          this.#beginLater(profile, verdict.probeAfterMs, true);
        }
        return;
      default:
        verdict satisfies never;
    }
  }

  #beginLater(profile: string, delayMs: number, isProbe: boolean): void {
    const again = () => {
      this.#begin(profile, isProbe);
      this.#facts.onServed(this.served);
    };
    this.#recordOf(profile).waitFor(delayMs, again);
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

  #recordOf(profile: string): GuestRecord {
    const record = this.#records.get(profile) ?? new GuestRecord(profile);
    this.#records.set(profile, record);
    return record;
  }

  #linkOf(profile: string) {
    return createStandaloneLink({
      phase: () => {},
      ready: (report) => {
        this.#recordOf(profile).serves(Date.now());
        this.#facts.onReady(profile, report);
      },
      report: () => {},
      degraded: () => {},
      recovered: () => {},
      turnCrowded: () => {},
      restartWanted: () => {
        const drainMs = this.#wanted.get(profile)?.assignment.drainMs ?? 0;
        this.guests.unserve(profile, 'restart', drainMs);
      },
    });
  }
}
