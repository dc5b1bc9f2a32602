import type { GatewayAssignment } from '../../core/assignment.js';
import type { LoopWatchdog } from '../../watchdog/loop-watchdog.js';
import { NO_OBSERVER, type TurnObserver } from '../turns/observer.js';

/** What a gateway tells the thread that watches its loop. */
export type GatewayWatchdog = Pick<
  LoopWatchdog,
  'openTurn' | 'tellTurn' | 'dump' | 'stopping' | 'stoppingOn' | 'starting' | 'started'
>;

/** Turns under the eyes of the thread; without one, of nobody. */
export function observeTurns(
  watchdog: GatewayWatchdog | undefined,
  { containment }: Pick<GatewayAssignment, 'containment'>,
): TurnObserver {
  if (watchdog === undefined) return NO_OBSERVER;
  const place = containment?.place;
  if (place !== undefined) watchdog.tellTurn({ code: 'place', place });
  return {
    opened: (turn) => watchdog.openTurn(turn),
    gaveUp: () => watchdog.dump('inactive-turn'),
    kept: (turnId, scope) => watchdog.tellTurn({ code: 'tool-kept', turnId, scope }),
  };
}
