import type { GatewayAssignment } from '../../core/assignment.js';
import type { DrainReason } from '../../core/ipc.js';
import { verdictOf } from '../exit-verdict.js';
import type { Gateway } from '../gateway.js';
import { type LastWords, lastWordsOf } from '../last-words.js';
import type { GatewayLink } from '../link/port.js';
import { type RunOptions, runGateway } from '../run.js';

/** How a guest has ended, in the terms of a process of its own. */
export interface GuestEnd {
  readonly exitCode: number;
  readonly words: LastWords | undefined;
  readonly reason: DrainReason | undefined;
}

export interface GuestFacts {
  readonly link: GatewayLink;
  readonly options: Omit<RunOptions, 'signal'>;
  readonly onServing: (gateway: Gateway) => void;
  /** once, and last */
  readonly onEnded: (end: GuestEnd) => void;
}

/** One profile that this process serves besides its own, from its start to its end. */
export class Guest {
  readonly assignment: GatewayAssignment;
  /** settles with the end of it */
  readonly ended: Promise<void>;
  readonly #facts: GuestFacts;
  readonly #startAbort = new AbortController();
  readonly #gateway: Promise<Gateway | undefined>;
  #settle: () => void = () => {};
  #isOver = false;
  #leaving: DrainReason | undefined;
  #hurried = false;

  constructor(assignment: GatewayAssignment, facts: GuestFacts) {
    this.assignment = assignment;
    this.#facts = facts;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#gateway = this.#start();
  }

  /** Finishes what runs within its budget; the first reason decides. */
  leave(reason: DrainReason, budgetMs: number): void {
    if (this.#leaving !== undefined) return;
    this.#leaving = reason;
    this.#startAbort.abort();
    this.#drain(reason, budgetMs).catch((thrown: unknown) => this.#fail(thrown));
  }

  hurry(): void {
    this.#hurried = true;
    this.#gateway.then((gateway) => gateway?.hurry());
  }

  async #start(): Promise<Gateway | undefined> {
    const { link, options, onServing } = this.#facts;
    const { signal } = this.#startAbort;
    try {
      const gateway = await runGateway(this.assignment, link, { ...options, signal });
      if (this.#hurried) gateway.hurry();
      onServing(gateway);
      return gateway;
    } catch (thrown) {
      // what is wrong with one profile is never the end of the others
      if (!signal.aborted) this.#fail(thrown);
      return undefined;
    }
  }

  async #drain(reason: DrainReason, budgetMs: number): Promise<void> {
    const gateway = await this.#gateway;
    await gateway?.drain(reason, budgetMs);
    // our process lives on, so nothing else would ever free the profile
    await gateway?.letGo();
    const exitCode = verdictOf({ restartRequested: reason !== 'stop' });
    this.#end({ exitCode, words: undefined, reason });
  }

  #fail(thrown: unknown): void {
    const words = lastWordsOf(thrown);
    this.#end({ exitCode: words.exitCode, words, reason: this.#leaving });
  }

  #end(end: GuestEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#facts.onEnded(end);
    this.#settle();
  }
}
