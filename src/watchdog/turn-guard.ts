import { monotonicMs } from '../core/monotonic.js';
import type { TurnMessage, TurnOwner } from './turn-messages.js';
import type { TurnSlots } from './turn-slots.js';

/** What whoever watches turns from outside the loop is told of one of them. */
export interface OpenTurnFacts {
  /** what the tags and the cgroups of everything that the turn starts begin with */
  readonly turnId: string;
  readonly session: string;
  /** silence after which it is given up; 0: never */
  readonly inactivityMs: number;
}

/** One turn under the eyes of both the loop and a thread. */
export interface TurnGuard {
  /**
   * A sign of life; called with every piece of an answer, so it must cost nothing.
   * @returns false: it comes too late, the thread has given the turn up
   */
  touch(): boolean;
  /** @returns whether the loop is the one that gives the turn up; false: the thread has done it */
  claim(): boolean;
  /** the turn is over, whoever has ended it */
  close(): void;
}

interface GuardParts {
  readonly owner: TurnOwner;
  readonly slots: TurnSlots;
  readonly tell: (message: TurnMessage) => void;
}

/** Where no thread watches: the loop always wins. */
export const NO_GUARD: TurnGuard = Object.freeze({
  touch: () => true,
  claim: () => true,
  close: () => {},
});

export function openTurn(facts: OpenTurnFacts, { owner, slots, tell }: GuardParts): TurnGuard {
  const { turnId, session, inactivityMs } = facts;
  const slot = slots.take(monotonicMs());
  if (slot === undefined) return NO_GUARD;
  tell({ code: 'turn-opened', turnId, session, slot, limitMs: inactivityMs, owner });
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
