import type { BudgetChain } from '../../src/core/budgets.js';
import type { SupervisorEvent } from '../../src/core/events.js';
import {
  type ExtensionTimes,
  feedWatchdog,
  keepExtending,
  type ManagerVoice,
  type OnTime,
} from '../../src/manager/index.js';
import type { EventHub } from '../events/event-hub.js';
import { type SentenceProfile, statusSentence } from './status-sentence.js';

export interface HeraldFacts {
  readonly voice: ManagerVoice;
  readonly hub: EventHub;
  readonly onTime: OnTime;
  readonly profiles: () => readonly SentenceProfile[];
  readonly isLeaving: () => boolean;
  readonly budgets: () => BudgetChain;
  /** most that all starts together may take */
  readonly startLimitMs: number;
  readonly extension?: ExtensionTimes;
}

/** Tells the service manager what becomes of us, from the events that everybody else gets too. */
export class Herald {
  readonly #facts: HeraldFacts;
  readonly #closers: (() => void)[] = [];
  #stopExtending: () => void = () => undefined;
  #isReady = false;
  #withheld: string | undefined;
  #lastStatus = '';
  #pending: NodeJS.Immediate | undefined;
  #reloaded: NodeJS.Immediate | undefined;

  constructor(facts: HeraldFacts) {
    this.#facts = facts;
  }

  start(): void {
    const { voice, hub, onTime, startLimitMs } = this.#facts;
    this.#extend(startLimitMs);
    this.#closers.push(
      hub.subscribe(({ event }) => this.#take(event)),
      feedWatchdog(voice, onTime, (because) => {
        this.#withheld = because;
        this.#changed();
      }),
    );
  }

  /** Every desired profile is ready, or known not to become so for now. */
  ready(): void {
    if (this.#isReady || this.#facts.isLeaving()) return;
    this.#isReady = true;
    this.#stopExtending();
    this.#tellReady();
  }

  close(): void {
    this.#stopExtending();
    clearImmediate(this.#pending);
    clearImmediate(this.#reloaded);
    for (const close of this.#closers.splice(0)) close();
    this.#facts.voice.close();
  }

  #take(event: SupervisorEvent): void {
    switch (event.code) {
      case 'supervisor-draining':
        this.#facts.voice.tell({ code: 'stopping', status: `stopping: ${event.reason}` });
        this.#extend(this.#facts.budgets().at['manager-stop']);
        return;
      case 'reloaded':
      case 'reload-refused':
        this.#tellReload();
        return;
      default:
        this.#changed();
    }
  }

  /**
   * A reload is over before its event is told; who waits for RELOADING still gets the pair, and one
   * pair also of a reload that was taken in part.
   */
  #tellReload(): void {
    this.#reloaded ??= setImmediate(() => {
      this.#reloaded = undefined;
      if (!this.#isReady || this.#facts.isLeaving()) return;
      this.#facts.voice.tell({ code: 'reloading' });
      this.#tellReady();
    });
  }

  #tellReady(): void {
    this.#lastStatus = this.#sentence();
    this.#facts.voice.tell({ code: 'ready', status: this.#lastStatus });
  }

  #extend(limitMs: number): void {
    this.#stopExtending();
    this.#stopExtending = keepExtending(this.#facts.voice, limitMs, this.#facts.extension);
  }

  /** Many events in one turn of the loop are one sentence. */
  #changed(): void {
    this.#pending ??= setImmediate(() => {
      this.#pending = undefined;
      const status = this.#sentence();
      if (status === this.#lastStatus) return;
      this.#lastStatus = status;
      this.#facts.voice.tell({ code: 'status', status });
    });
  }

  #sentence(): string {
    const { profiles, isLeaving } = this.#facts;
    return statusSentence(profiles(), { isLeaving: isLeaving(), withheld: this.#withheld });
  }
}
