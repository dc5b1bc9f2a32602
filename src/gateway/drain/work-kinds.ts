import type { WorkUnit } from '../../core/work.js';

export type WorkKind = WorkUnit['kind'];

/** What a drain may take, by what it waits for. */
export type DrainBudgets = Readonly<Record<WorkKind, number>>;

export interface DrainTimes {
  /** what everything else than jobs gets */
  readonly budgetMs: number;
  /**
   * A chat that is cut off is told so and goes on after the restart; a job that is cut off has
   * failed for good, so it gets this much even where chats get nothing (spec/supervision.md 6.3).
   * Nothing of this version runs jobs: the kind has its place, and no source.
   */
  readonly jobsFloorMs: number;
}

export function drainBudgets({ budgetMs, jobsFloorMs }: DrainTimes): DrainBudgets {
  return {
    turn: budgetMs,
    'api-run': budgetMs,
    delivery: budgetMs,
    job: Math.max(budgetMs, jobsFloorMs),
  };
}
