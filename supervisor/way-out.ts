import type { Death } from '../src/core/death.js';
import type { SupervisorEvent } from '../src/core/events.js';
import { EXIT } from '../src/core/exit-codes.js';
import { type FinalCode, finalCodeOf, worstOf } from './finish.js';
import type { Profile } from './profile/profile.js';

export interface WayOutFacts {
  readonly once: boolean;
  readonly profiles: () => readonly Profile[];
  readonly record: (event: SupervisorEvent) => void;
}

/** When and with which code the supervisor itself ends. */
export class WayOut {
  /** The code to exit with, once everything is down. */
  readonly finished: Promise<FinalCode>;
  readonly #facts: WayOutFacts;
  readonly #lastCodes = new Map<string, FinalCode>();
  #finish: (code: FinalCode) => void = () => undefined;
  #leaving: FinalCode | undefined;
  #isForEssential = false;

  constructor(facts: WayOutFacts) {
    this.#facts = facts;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Because an essential profile is down for good: whoever started us should not start us again. */
  get isForEssential(): boolean {
    return this.#isForEssential;
  }

  get isLeaving(): boolean {
    return this.#leaving !== undefined;
  }

  noteDeath(profile: string, death: Death): void {
    this.#lastCodes.set(profile, finalCodeOf(death));
  }

  /** Orderly end: everything drains; returns at once, `finished` tells when all are dead. */
  leave(reason: string, code: FinalCode = EXIT.done): void {
    if (this.#leaving !== undefined) return;
    this.#leaving = code;
    this.#facts.record({ code: 'supervisor-draining', reason });
    for (const profile of this.#facts.profiles()) profile.halt();
    this.checkDone();
  }

  /** An essential profile that is down for good takes the supervisor with it (field case A22). */
  checkEssential(profile: Profile): void {
    const { loaded, desired, state, deaths } = profile.view();
    if (this.isLeaving || desired !== 'running' || deaths.last === undefined) return;
    if (loaded.kind !== 'good' || !loaded.config.essential) return;
    if (state !== 'parked' && state !== 'stopped') return;
    this.#isForEssential = true;
    this.leave(`essential profile ${profile.name} is ${state}`, finalCodeOf(deaths.last));
  }

  checkDone(): void {
    if (this.#facts.profiles().some((profile) => profile.isActive)) return;
    if (this.#leaving !== undefined) this.#finish(this.#leaving);
    else if (this.#facts.once) this.#finish(worstOf([...this.#lastCodes.values()]));
  }
}
