import type { WorkUnit } from '../../core/work.js';
import type { ObservedWork } from '../turns/running-turns.js';
import type { DrainBudgets } from './work-kinds.js';

export interface WaitFacts {
  readonly work: readonly ObservedWork[];
  readonly budgets: DrainBudgets;
  /** when the drain began, on the clock of the work */
  readonly beganAtMs: number;
  readonly nowMs: number;
  /** silence after which work counts as wedged; 0: never */
  readonly inactivityMs: number;
}

export interface WaitPlan {
  /** there is still time for these */
  readonly awaited: readonly WorkUnit[];
  /** their time is over */
  readonly late: readonly WorkUnit[];
  /** no time would help these: nothing happens in them any more */
  readonly wedged: readonly WorkUnit[];
  /** when this plan changes by itself; undefined: nothing is awaited */
  readonly nextAtMs: number | undefined;
}

/** For what a drain still waits, and how long (spec/supervision.md 6.2, 6.3). Pure. */
export function planWait(facts: WaitFacts): WaitPlan {
  const { work, budgets, beganAtMs, nowMs } = facts;
  const wedged = work.filter((one) => wedgedAtMs(one, facts) <= nowMs);
  const alive = work.filter((one) => !wedged.includes(one));
  const deadlineOf = ({ unit }: ObservedWork) => beganAtMs + budgets[unit.kind];
  const awaited = alive.filter((one) => deadlineOf(one) > nowMs);
  const dates = awaited.map((one) => Math.min(deadlineOf(one), wedgedAtMs(one, facts)));
  return {
    awaited: awaited.map(({ unit }) => unit),
    late: alive.filter((one) => deadlineOf(one) <= nowMs).map(({ unit }) => unit),
    wedged: wedged.map(({ unit }) => unit),
    nextAtMs: dates.length === 0 ? undefined : Math.min(...dates),
  };
}

function wedgedAtMs(work: ObservedWork, { inactivityMs }: WaitFacts): number {
  if (work.isGivenUp) return Number.NEGATIVE_INFINITY;
  return inactivityMs > 0 ? work.activeAtMs + inactivityMs : Number.POSITIVE_INFINITY;
}
