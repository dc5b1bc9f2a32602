import type { GatewayAssignment } from '../../src/core/assignment.js';
import { type BudgetChain, FIXED_BUDGETS, patienceBefore } from '../../src/core/budgets.js';

/** The waits of a process as a whole, where the assignment names those of its own profile. */
export function withGuestBudgets(
  assignment: GatewayAssignment,
  { at }: BudgetChain,
): GatewayAssignment {
  const budgets = {
    ...assignment.budgets,
    drainLimitMs: at.drain,
    guardAfterDrainMs: at['interrupt-grace'] - at.drain,
    guardPatienceMs: patienceBefore(at, at['manager-stop'] - FIXED_BUDGETS.guardExitMs),
    dumpMs: at['evidence-dump'] - at['interrupt-grace'],
  };
  return { ...assignment, budgets };
}
