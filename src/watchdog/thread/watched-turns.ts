import type { ToolTree, TurnMessage } from '../turn-messages.js';
import type { TurnSlots } from '../turn-slots.js';

/** An open turn as evidence shows it. */
export interface WatchedTurn {
  readonly turnId: string;
  readonly session: string;
  readonly idleMs: number;
  /** 0: there is no limit */
  readonly limitMs: number;
  readonly tools: readonly string[];
}

/** A turn past its limit that this thread has won: its tool processes are ours to end. */
export interface OverdueTurn extends WatchedTurn {
  readonly trees: readonly ToolTree[];
}

interface Turn {
  readonly session: string;
  readonly slot: number;
  readonly limitMs: number;
  readonly tools: Map<string, ToolTree>;
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
        const { session, slot, limitMs } = message;
        this.#turns.set(message.turnId, {
          session,
          slot,
          limitMs,
          tools: new Map(),
          isTold: false,
        });
        return;
      }
      case 'turn-closed':
        this.#turns.delete(message.turnId);
        return;
      case 'tool-started':
        this.#turns.get(message.turnId)?.tools.set(message.processId, message.tree);
        return;
      case 'tool-ended':
        for (const { tools } of this.#turns.values()) tools.delete(message.processId);
        return;
      default:
        message satisfies never;
    }
  }

  list(nowMs: number): WatchedTurn[] {
    return [...this.#turns].map(([turnId, turn]) => this.#show(turnId, turn, nowMs));
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
      overdue.push({ ...shown, trees: [...turn.tools.values()] });
    }
    return overdue;
  }

  #show(turnId: string, turn: Turn, nowMs: number): WatchedTurn {
    return {
      turnId,
      session: turn.session,
      idleMs: Math.max(0, Math.round(nowMs - this.#slots.activeAtMs(turn.slot))),
      limitMs: turn.limitMs,
      tools: [...turn.tools.keys()],
    };
  }
}
