import { NO_GUARD, type OpenTurnFacts, type TurnGuard } from '../../watchdog/turn-guard.js';

/** Told of every turn in progress. */
export interface TurnObserver {
  opened(turn: OpenTurnFacts): TurnGuard;
  /** the loop gives it up for its silence: called before anything of it is ended */
  gaveUp?(): void;
  /** one of its processes is meant to outlive it */
  kept?(turnId: string, scope: string): void;
}

/** Where no thread watches, the loop always wins. */
export const NO_OBSERVER: TurnObserver = Object.freeze({ opened: () => NO_GUARD });
