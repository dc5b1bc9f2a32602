import type { GatewayAssignment } from '../../core/assignment.js';
import { causeOf, type Death, NO_EVIDENCE } from '../../core/death.js';
import { clampTimerMs } from '../../core/durations.js';
import { JUDGED_DEATHS, judge, type RestartPolicy, type Verdict } from '../../core/judge.js';
import type { GuestEnd } from './guest.js';

/** One guest over its starts, in the terms in which a supervisor judges a gateway. */
export class GuestRecord {
  readonly #profile: string;
  #inputs: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #deaths: readonly Death[] = [];
  #starts = 0;
  #isProbe = false;
  #beganAt = 0;
  #readyAt: number | undefined;

  constructor(profile: string) {
    this.#profile = profile;
  }

  /** It was last started as just this. */
  isAs(assignment: GatewayAssignment): boolean {
    return this.#inputs === JSON.stringify(assignment);
  }

  /** for its next start */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  waitFor(delayMs: number, act: () => void): void {
    this.dismiss();
    this.#timer = setTimeout(act, clampTimerMs(delayMs)).unref();
  }

  /** It waits for nothing any more. */
  dismiss(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param isProbe the one try of a guest that was given up */
  began(assignment: GatewayAssignment, now: number, isProbe: boolean): void {
    this.dismiss();
    this.#inputs = JSON.stringify(assignment);
    this.#starts++;
    this.#isProbe = isProbe;
    this.#beganAt = now;
    this.#readyAt = undefined;
  }

  serves(now: number): void {
    this.#readyAt ??= now;
  }

  /** Writes its end down, and says what is to follow. */
  ended(end: GuestEnd, now: number, { policy, random }: Judging): Verdict {
    this.#deaths = [...this.#deaths, this.#record(end, now)].slice(-JUDGED_DEATHS);
    return judge(policy, { deaths: this.#deaths, wasProbe: this.#isProbe }, random);
  }

  #record({ exitCode, reason, words }: GuestEnd, now: number): Death {
    const outcome = { kind: 'code', code: exitCode } as const;
    const asked = { askedToStop: reason === 'stop', askedToRestart: reason === 'restart' };
    return {
      profile: this.#profile,
      generation: this.#starts,
      pid: process.pid,
      outcome,
      cause: causeOf(outcome, { ...NO_EVIDENCE, ...asked }),
      uptimeMs: Math.max(0, now - this.#beganAt),
      readyMs: this.#readyAt === undefined ? undefined : Math.max(0, now - this.#readyAt),
      at: now,
      detail: words?.detail,
      remedy: words?.remedy,
      evidence: undefined,
    };
  }
}

export interface Judging {
  readonly policy: RestartPolicy;
  /** uniform in [0, 1) */
  readonly random: number;
}
