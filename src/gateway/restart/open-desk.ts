import type { GatewayAssignment } from '../../core/assignment.js';
import { waitForWork } from '../drain/drain.js';
import { drainBudgets } from '../drain/work-kinds.js';
import type { GatewayLink } from '../link/port.js';
import type { GatewayLog } from '../log.js';
import type { GatewayTimings } from '../timings.js';
import type { TurnRunner } from '../turns/runner.js';
import { RestartDesk } from './restart-desk.js';

export interface DeskParts {
  readonly assignment: GatewayAssignment;
  readonly link: GatewayLink;
  readonly timings: GatewayTimings;
  readonly log: GatewayLog;
}

/** What runs may finish before a restart that was asked for from inside; the wedged cannot. */
export function openDesk(
  { assignment, link, timings, log }: DeskParts,
  turns: TurnRunner,
  onPending: () => void,
): RestartDesk {
  const { afterTurnMs } = assignment.budgets;
  const { limitMs: inactivityMs } = assignment.inactivity;
  const budgets = drainBudgets({ budgetMs: afterTurnMs, jobsFloorMs: 0 });
  const news = { log, everyMs: timings.waitNewsMs };
  return new RestartDesk({
    refuse: () => {
      turns.refuse('restart_timeout');
      onPending();
    },
    workDone: (hurry) => waitForWork(turns, { budgets, inactivityMs, news, hurry }),
    begin: (detail) => link.restartWanted(detail),
    limitMs: afterTurnMs,
    answersMs: timings.closeGraceMs,
  });
}
