/** What whoever watches turns from outside the loop is told of one of them. */
export interface ObservedTurn {
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
  /** @returns whether the loop may end the turn; false: the thread has given it up already */
  claim(): boolean;
  /** the turn is over, whoever has ended it */
  close(): void;
}

/** Told of every turn in progress. */
export interface TurnObserver {
  opened(turn: ObservedTurn): TurnGuard;
  /** one of its processes is meant to outlive it */
  kept?(turnId: string, scope: string): void;
}

/** Where no thread watches, the loop always wins. */
const NO_GUARD: TurnGuard = Object.freeze({
  touch: () => true,
  claim: () => true,
  close: () => {},
});
export const NO_OBSERVER: TurnObserver = Object.freeze({ opened: () => NO_GUARD });

/** Milliseconds that never jump: a host that was asleep has not been silent. */
export function steadyNowMs(): number {
  return performance.now();
}
