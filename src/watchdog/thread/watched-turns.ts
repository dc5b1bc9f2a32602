import type { TurnMessage, TurnOwner } from '../turn-messages.js';
import type { TurnSlots } from '../turn-slots.js';

/** An open turn as evidence shows it. */
export interface WatchedTurn {
  /** whose it is, when it is not the process's own; left out of the file otherwise */
  readonly profile: string | undefined;
  readonly turnId: string;
  readonly session: string;
  readonly idleMs: number;
  /** 0: there is no limit */
  readonly limitMs: number;
  /** scopes of processes that are meant to outlive it */
  readonly kept: readonly string[];
}

/** One that nobody else has given up. */
export interface OverdueTurn {
  readonly turn: WatchedTurn;
  readonly owner: TurnOwner;
}

interface Turn {
  readonly owner: TurnOwner;
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

  constructor(slots: TurnSlots) {
    this.#slots = slots;
  }

  take(message: TurnMessage): void {
    switch (message.code) {
      case 'turn-opened': {
        const { owner, session, slot, limitMs } = message;
        const turn = { owner, session, slot, limitMs, kept: [], isTold: false };
        this.#turns.set(message.turnId, turn);
        return;
      }
      case 'turn-closed':
        this.#turns.delete(message.turnId);
        return;
      case 'tool-kept':
        this.#turns.get(message.turnId)?.kept.push(message.scope);
        return;
      default:
        message satisfies never;
    }
  }

  /** @param of one profile that the process serves besides its own; left out: all */
  list(nowMs: number, of?: string): WatchedTurn[] {
    return [...this.#turns].flatMap(([turnId, turn]) =>
      of === undefined || turn.owner.guest?.profile === of ? [this.#show(turnId, turn, nowMs)] : [],
    );
  }

  /**
   * Turns that have been silent for longer than their limit and `patienceMs` more, which the loop
   * has for its own timer, and that nobody else has given up. Each is returned once.
   */
  claimOverdue(nowMs: number, patienceMs: number): OverdueTurn[] {
    const overdue: OverdueTurn[] = [];
    for (const [turnId, turn] of this.#turns) {
      if (turn.isTold || turn.limitMs <= 0) continue;
      const shown = this.#show(turnId, turn, nowMs);
      if (shown.idleMs < turn.limitMs + patienceMs) continue;
      if (!this.#slots.claim(turn.slot, 'thread')) continue;
      turn.isTold = true;
      overdue.push({ turn: shown, owner: turn.owner });
    }
    return overdue;
  }

  #show(turnId: string, turn: Turn, nowMs: number): WatchedTurn {
    return {
      profile: turn.owner.guest?.profile,
      turnId,
      session: turn.session,
      idleMs: Math.max(0, Math.round(nowMs - this.#slots.activeAtMs(turn.slot))),
      limitMs: turn.limitMs,
      kept: [...turn.kept],
    };
  }
}
