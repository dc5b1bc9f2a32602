/**
 * What comes after the wait of a drain has one limit in all: the shutdown guard ends the process
 * then. So whatever was late takes its time from the steps that follow, never from the guard's.
 */

export interface EndingFacts {
  readonly nowMs: number;
  /** when the guard ends the process, on the same clock */
  readonly guardAtMs: number;
  /** what interrupted turns may take to let go */
  readonly interruptGraceMs: number;
  /** what connections may take to carry their last bytes away */
  readonly closeGraceMs: number;
}

export interface EndingPlan {
  readonly interruptMs: number;
  readonly closeMs: number;
  /** platforms and processes that have not closed by then are left to the end of the process */
  readonly abandonMs: number;
}

/** For closing the stores, last words (1 s) and a loop that is late: most often none of it is used. */
export const LAST_STEPS_MS = 1500;

/** What is left for each step from now on; nothing is left twice. Pure. */
export function planEnding(facts: EndingFacts): EndingPlan {
  const { nowMs, guardAtMs, interruptGraceMs, closeGraceMs } = facts;
  const abandonMs = Math.max(0, guardAtMs - nowMs - LAST_STEPS_MS);
  const closeMs = Math.min(closeGraceMs, abandonMs);
  const interruptMs = Math.min(interruptGraceMs, abandonMs - closeMs);
  return { interruptMs, closeMs, abandonMs };
}
