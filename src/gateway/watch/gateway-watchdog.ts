import { evidenceDirIn } from '../../config/paths.js';
import type { GatewayAssignment } from '../../core/assignment.js';
import type { LoopWatchdog } from '../../watchdog/loop-watchdog.js';
import { NO_OBSERVER, type TurnObserver } from '../turns/observer.js';

/** What a gateway tells the thread that watches its loop. */
export type GatewayWatchdog = Pick<
  LoopWatchdog,
  'openTurn' | 'tellTurn' | 'gaveUpTurn' | 'stopping' | 'stoppingOn' | 'starting' | 'started'
>;

/**
 * Turns under the eyes of the thread; without one, of nobody.
 * @param role of the profile in this process: it is its own, or one that it serves besides
 */
export function observeTurns(
  watchdog: GatewayWatchdog | undefined,
  { containment, generation, profile, stateDir }: GatewayAssignment,
  role: 'own' | 'guest',
): TurnObserver {
  if (watchdog === undefined) return NO_OBSERVER;
  const evidenceDir = evidenceDirIn(stateDir);
  const guest = role === 'own' ? undefined : { profile, generation, evidenceDir };
  const owner = { guest, place: containment?.place };
  return {
    opened: (turn) => watchdog.openTurn(turn, owner),
    gaveUp: () => watchdog.gaveUpTurn(guest),
    kept: (turnId, scope) => watchdog.tellTurn({ code: 'tool-kept', turnId, scope }),
  };
}
