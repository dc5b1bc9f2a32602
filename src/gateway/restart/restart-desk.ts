import { clampTimerMs } from '../../core/durations.js';

export interface DeskEffects {
  /** takes no new work from now on; what runs is marked */
  readonly refuse: () => void;
  /** whoever can restart us is asked to, once every answer has left */
  readonly begin: (detail: string) => void;
  /** most that the answers to whoever asked may take to leave */
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
 * which would wait for its own cause; it goes first, with its final answer (spec/supervision.md
 * 6.2). Asked twice, it happens once.
 */
export class RestartDesk {
  readonly #effects: DeskEffects;
  readonly #unanswered = new Set<RestartTicket>();
  #detail: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasBegun = false;

  constructor(effects: DeskEffects) {
    this.#effects = effects;
  }

  /** @param detail who wants it, for the history */
  ask(detail: string): RestartTicket {
    const isFirst = this.#detail === undefined;
    this.#detail ??= detail;
    const ticket: RestartTicket = {
      kind: isFirst ? 'begun' : 'under-way',
      answered: () => {
        if (this.#unanswered.delete(ticket) && this.#unanswered.size === 0) this.#begin();
      },
    };
    this.#unanswered.add(ticket);
    if (isFirst) {
      this.#effects.refuse();
      const { answersMs } = this.#effects;
      this.#timer = setTimeout(() => this.#begin(), clampTimerMs(answersMs)).unref();
    }
    return ticket;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#effects.begin(this.#detail ?? '');
  }
}
