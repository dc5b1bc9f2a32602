import type { TurnGuard } from '../../watchdog/turn-guard.js';

/** Who ends a turn: its worker returned, or its silence was too much for the loop or the thread. */
export type TurnEnder = 'worker' | 'loop' | 'thread';

/**
 * One turn's end, decided once. Worker and loop are one thread and decide here; against the
 * watchdog thread the guard decides, in memory that both share (spec/supervision.md 5.5).
 */
export class TurnEnd {
  readonly #guard: Pick<TurnGuard, 'claim'>;
  #winner: TurnEnder | undefined;

  constructor(guard: Pick<TurnGuard, 'claim'>) {
    this.#guard = guard;
  }

  /** undefined: nobody yet, as far as the loop knows */
  get winner(): TurnEnder | undefined {
    return this.#winner;
  }

  /** @returns whether this one has won: whoever has not keeps their hands off */
  claim(by: Exclude<TurnEnder, 'thread'>): boolean {
    if (this.#winner !== undefined) return false;
    this.#winner = this.#guard.claim() ? by : 'thread';
    return this.#winner === by;
  }
}
