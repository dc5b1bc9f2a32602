import { clampTimerMs } from '../../core/durations.js';

/** How much silence of a turn is too much (spec/supervision.md 5.5); 0 anywhere: never. */
export interface InactivityLimits {
  /** without a sign of life: given up */
  readonly limitMs: number;
  /** without a sign of life: told, once until the next sign */
  readonly warningMs: number;
  /** without a word that its person sees: told that it still works, each time */
  readonly noteMs: number;
}

export interface InactivityFacts {
  /** any sign of life: a word, a tool that was called or has answered */
  readonly activeAtMs: number;
  /** a word that its person saw, or the last note */
  readonly shownAtMs: number;
  readonly isWarned: boolean;
}

export type InactivityStep = 'note' | 'warn' | 'give-up';

export interface InactivityPlan {
  readonly due: readonly InactivityStep[];
  /** when to look again; undefined: never */
  readonly nextAtMs: number | undefined;
}

/** What is due now, and when something will be. Pure. */
export function planInactivity(
  limits: InactivityLimits,
  facts: InactivityFacts,
  nowMs: number,
): InactivityPlan {
  const dates: readonly (readonly [InactivityStep, number])[] = [
    ['give-up', dateOf(facts.activeAtMs, limits.limitMs)],
    [
      'warn',
      facts.isWarned ? Number.POSITIVE_INFINITY : dateOf(facts.activeAtMs, limits.warningMs),
    ],
    ['note', dateOf(facts.shownAtMs, limits.noteMs)],
  ];
  const due = dates.filter(([, atMs]) => atMs <= nowMs).map(([step]) => step);
  // nothing else matters to a turn that is over
  if (due.includes('give-up')) return { due: ['give-up'], nextAtMs: undefined };
  const later = dates.map(([step, atMs]) => {
    if (atMs > nowMs) return atMs;
    return step === 'note' ? nowMs + limits.noteMs : Number.POSITIVE_INFINITY;
  });
  const nextAtMs = Math.min(...later);
  return { due, nextAtMs: Number.isFinite(nextAtMs) ? nextAtMs : undefined };
}

function dateOf(sinceMs: number, spanMs: number): number {
  return spanMs > 0 ? sinceMs + spanMs : Number.POSITIVE_INFINITY;
}

export interface InactivityEffects {
  /** on the clock of the facts */
  readonly nowMs: () => number;
  readonly note: (silentForMs: number) => void;
  readonly warn: (silentForMs: number) => void;
  readonly giveUp: () => void;
}

/** Watches one turn on the loop. */
export class InactivityWatch {
  readonly #limits: InactivityLimits;
  readonly #effects: InactivityEffects;
  readonly #openedAtMs: number;
  #activeAtMs: number;
  #shownAtMs: number;
  #isWarned = false;
  #hasStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: InactivityLimits, effects: InactivityEffects) {
    this.#limits = limits;
    this.#effects = effects;
    const nowMs = effects.nowMs();
    this.#openedAtMs = nowMs;
    this.#activeAtMs = nowMs;
    this.#shownAtMs = nowMs;
    this.#look();
  }

  /** A sign of life; `isShown`: one that its person sees. Cheap: no timer is moved. */
  touch(isShown: boolean): void {
    this.#activeAtMs = this.#effects.nowMs();
    if (isShown) this.#shownAtMs = this.#activeAtMs;
    // its next silence deserves a warning of its own, but that date is not on the timer
    if (!this.#isWarned) return;
    this.#isWarned = false;
    this.#look();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#effects.nowMs();
    const facts = {
      activeAtMs: this.#activeAtMs,
      shownAtMs: this.#shownAtMs,
      isWarned: this.#isWarned,
    };
    const { due, nextAtMs } = planInactivity(this.#limits, facts, nowMs);
    for (const step of due) this.#do(step, nowMs);
    if (nextAtMs === undefined) return;
    const waitMs = Math.ceil(nextAtMs - nowMs);
    // on a loop that was late the signs of life are still unread: they are, one round later
    const look = () => setImmediate(() => this.#hasStopped || this.#look());
    this.#timer = setTimeout(look, clampTimerMs(waitMs)).unref();
  }

  #do(step: InactivityStep, nowMs: number): void {
    switch (step) {
      case 'note':
        this.#shownAtMs = nowMs;
        this.#effects.note(nowMs - this.#openedAtMs);
        return;
      case 'warn':
        this.#isWarned = true;
        this.#effects.warn(nowMs - this.#activeAtMs);
        return;
      case 'give-up':
        this.#effects.giveUp();
        return;
      default:
        step satisfies never;
    }
  }
}
