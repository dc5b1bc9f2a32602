import type { GuardBudget } from '../core/budgets.js';
import type { EndingKind } from '../core/watch.js';
import { ownTimeMs, type Span } from './own-time.js';

/** What has to happen soon, or else the process is ended. */
export interface Ending {
  readonly kind: EndingKind;
  /** of the process's own time */
  readonly leftMs: number;
  /** of all time, also what was stolen */
  readonly latestLeftMs: number;
}

/** A start asks for `undefined` when it is done; a stop, once it began, is never called off. */
export function expectEnding(
  before: Ending | undefined,
  kind: EndingKind,
  budget: GuardBudget | undefined,
): Ending | undefined {
  if (budget === undefined) return before?.kind === kind ? undefined : before;
  const asked = {
    kind,
    leftMs: budget.withinMs,
    latestLeftMs: budget.withinMs + budget.patienceMs,
  };
  if (before?.kind !== 'stop-timeout') return asked;
  if (kind === 'start-timeout') return before;
  // asked again, by somebody impatient: it never gets more time
  return {
    kind,
    leftMs: Math.min(before.leftMs, asked.leftMs),
    latestLeftMs: Math.min(before.latestLeftMs, asked.latestLeftMs),
  };
}

/**
 * Time that was stolen is forgiven as long as there is patience: whoever kills from outside does
 * not forgive it, and what is to be written down must be there before.
 */
export function judgeEnding(before: Ending, span: Span): { ending: Ending; isOver: boolean } {
  const leftMs = before.leftMs - ownTimeMs(span);
  const latestLeftMs = before.latestLeftMs - Math.max(0, span.passedMs);
  return {
    ending: { kind: before.kind, leftMs, latestLeftMs },
    isOver: leftMs <= 0 || latestLeftMs <= 0,
  };
}
