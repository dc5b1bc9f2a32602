import { clampTimerMs } from '../../core/durations.js';
import type { Hold } from '../../core/work.js';

export type RestartHold = Extract<Hold, { kind: 'restart' }>;

export interface DeskEffects {
  /** takes no new work from now on, and says why; what runs is marked */
  readonly refuse: () => void;
  /** whoever can restart us is asked to: every answer has left, and work was waited for */
  readonly begin: (detail: string) => void;
  /** resolves when nothing runs any more that time could help, or at once with the signal */
  readonly workDone: (hurry: AbortSignal) => Promise<unknown>;
  /** most that all of it may take, counted from the first who asked */
  readonly limitMs: number;
  /** what answers get to leave, however short the limit is */
  readonly answersMs: number;
}

/** The part of one who asked. */
export interface RestartTicket {
  readonly kind: 'begun' | 'under-way';
  /** the answer has left: the restart waits for it no longer */
  answered(): void;
}

/**
 * Where a restart is asked for from inside. Who asks is never waited for by the restart itself,
 * which would wait for its own cause; it goes first, with its final answer. Nobody else is cut off
 * for it either: nothing new is taken, what runs may finish, and only then does the restart with
 * its own, shorter drain begin (spec/supervision.md 6.2). Asked twice, it happens once.
 */
export class RestartDesk {
  readonly #effects: DeskEffects;
  readonly #unanswered = new Set<RestartTicket>();
  readonly #over = new AbortController();
  #pending: RestartHold | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isWaiting = false;

  constructor(effects: DeskEffects) {
    this.#effects = effects;
  }

  /** @param detail who wants it, for the history */
  ask(detail: string): RestartTicket {
    const isFirst = this.#pending === undefined;
    this.#pending ??= this.#holdFor(detail);
    const ticket: RestartTicket = {
      kind: isFirst ? 'begun' : 'under-way',
      answered: () => {
        if (this.#unanswered.delete(ticket) && this.#unanswered.size === 0) void this.#wait();
      },
    };
    this.#unanswered.add(ticket);
    if (isFirst) this.#open();
    return ticket;
  }

  /** once it was asked for, until the end of the gateway; undefined: it was not */
  get pending(): RestartHold | undefined {
    return this.#pending;
  }

  /** A drain has begun, whoever began it: what follows is decided. */
  stop(): void {
    this.#over.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #holdFor(by: string): RestartHold {
    const { answersMs, limitMs } = this.#effects;
    const since = Date.now();
    return { kind: 'restart', by, since, latestAt: since + Math.max(answersMs, limitMs) };
  }

  #open(): void {
    const { refuse, answersMs, limitMs } = this.#effects;
    refuse();
    const after = (ms: number, act: () => void) => setTimeout(act, clampTimerMs(ms)).unref();
    this.#timers = [
      after(answersMs, () => void this.#wait()),
      after(Math.max(answersMs, limitMs), () => this.#begin()),
    ];
  }

  async #wait(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    if (this.#effects.limitMs > 0) await this.#effects.workDone(this.#over.signal);
    this.#begin();
  }

  #begin(): void {
    if (this.#over.signal.aborted) return;
    this.stop();
    this.#effects.begin(this.#pending?.by ?? '');
  }
}
