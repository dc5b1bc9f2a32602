import type { BudgetRow } from '../../core/budgets.js';
import { formatSpan } from './units.js';

/**
 * `drain 40s · interrupt-grace 45s · … · manager-stop 1m 28s`: each since the stop was asked for.
 * Empty for a report without budgets, from a supervisor of an older version.
 */
export function describeBudgets(rows: readonly BudgetRow[] | undefined): string {
  return (rows ?? []).map(({ step, atMs }) => `${step} ${formatSpan(atMs)}`).join(' · ');
}

/** `a stop takes at most 1m 28s`: what anybody who waits for a stop wants to know; doctor tells the rest. */
export function describeLongestStop(rows: readonly BudgetRow[] | undefined): string {
  const row = rows?.find(({ step }) => step === 'manager-stop');
  return row === undefined ? '' : `a stop takes at most ${formatSpan(row.atMs)}`;
}
