import { monotonicMs } from '../core/monotonic.js';
import type { TurnMessage } from './turn-messages.js';
import type { TurnSlots } from './turn-slots.js';

export interface OpenTurnFacts {
  readonly turnId: string;
  readonly session: string;
  /** silence after which it is given up; 0: never */
  readonly inactivityMs: number;
}

/** One turn under the eyes of both the loop and the thread. */
export interface TurnGuard {
  /**
   * A sign of life; cheap enough for every piece of an answer.
   * @returns false: it comes too late, the thread has given the turn up
   */
  touch(): boolean;
  /** @returns whether the loop is the one that gives the turn up; false: the thread has done it */
  claim(): boolean;
  close(): void;
}

interface GuardParts {
  readonly slots: TurnSlots;
  readonly tell: (message: TurnMessage) => void;
}

/** Where no thread watches: the loop always wins. */
export const NO_GUARD: TurnGuard = Object.freeze({
  touch: () => true,
  claim: () => true,
  close: () => {},
});

export function openTurn(facts: OpenTurnFacts, { slots, tell }: GuardParts): TurnGuard {
  const { turnId, session, inactivityMs } = facts;
  const slot = slots.take(monotonicMs());
  if (slot === undefined) return NO_GUARD;
  tell({ code: 'turn-opened', turnId, session, slot, limitMs: inactivityMs });
  let isOpen = true;
  return {
    touch: () => !isOpen || slots.touch(slot, monotonicMs()),
    claim: () => !isOpen || slots.claim(slot, 'loop'),
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      slots.free(slot);
      tell({ code: 'turn-closed', turnId });
    },
  };
}
