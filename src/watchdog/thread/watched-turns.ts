import type { TurnMessage } from '../turn-messages.js';
import type { TurnSlots } from '../turn-slots.js';

/** An open turn as evidence shows it. */
export interface WatchedTurn {
  readonly turnId: string;
  readonly session: string;
  readonly idleMs: number;
  /** 0: there is no limit */
  readonly limitMs: number;
  /** scopes of processes that are meant to outlive it */
  readonly kept: readonly string[];
}

interface Turn {
  readonly session: string;
  readonly slot: number;
  readonly limitMs: number;
  readonly kept: string[];
  isTold: boolean;
}

/** What the loop has told about its turns, and what their slots say now. */
export class WatchedTurns {
  readonly #slots: TurnSlots;
  readonly #turns = new Map<string, Turn>();
  #place: string | undefined;

  constructor(slots: TurnSlots) {
    this.#slots = slots;
  }

  take(message: TurnMessage): void {
    switch (message.code) {
      case 'turn-opened': {
        const { session, slot, limitMs } = message;
        this.#turns.set(message.turnId, { session, slot, limitMs, kept: [], isTold: false });
        return;
      }
      case 'turn-closed':
        this.#turns.delete(message.turnId);
        return;
      case 'tool-kept':
        this.#turns.get(message.turnId)?.kept.push(message.scope);
        return;
      case 'place':
        this.#place = message.place;
        return;
      default:
        message satisfies never;
    }
  }

  /** Directory with the cgroups of turns; undefined: there is none that we know of. */
  get place(): string | undefined {
    return this.#place;
  }

  list(nowMs: number): WatchedTurn[] {
    return [...this.#turns].map(([turnId, turn]) => this.#show(turnId, turn, nowMs));
  }

  /**
   * Turns that have been silent for longer than their limit and `patienceMs` more, which the loop
   * has for its own timer, and that nobody else has given up. Each is returned once.
   */
  claimOverdue(nowMs: number, patienceMs: number): WatchedTurn[] {
    const overdue: WatchedTurn[] = [];
    for (const [turnId, turn] of this.#turns) {
      if (turn.isTold || turn.limitMs <= 0) continue;
      const shown = this.#show(turnId, turn, nowMs);
      if (shown.idleMs < turn.limitMs + patienceMs) continue;
      if (!this.#slots.claim(turn.slot, 'thread')) continue;
      turn.isTold = true;
      overdue.push(shown);
    }
    return overdue;
  }

  #show(turnId: string, turn: Turn, nowMs: number): WatchedTurn {
    return {
      turnId,
      session: turn.session,
      idleMs: Math.max(0, Math.round(nowMs - this.#slots.activeAtMs(turn.slot))),
      limitMs: turn.limitMs,
      kept: [...turn.kept],
    };
  }
}
