import type { WorkUnit } from '../../core/work.js';
import type { GatewayLog, LogFields } from '../log.js';

/** Whoever watches a long wait learns twice a minute what it waits for (spec/supervision.md 6.2). */
export const WAIT_NEWS_EVERY_MS = 30_000;

/** A line that names hundreds is read by nobody; how many there are is in it all the same. */
const MAX_NAMED = 20;

export interface WaitNews {
  readonly log: Pick<GatewayLog, 'info'>;
  readonly everyMs: number;
}

export interface WaitNewsFacts {
  readonly awaited: readonly WorkUnit[];
  readonly beganAtMs: number;
  /** when it was told last; at first the same */
  readonly toldAtMs: number;
  /** on the clock of the wait */
  readonly nowMs: number;
  readonly everyMs: number;
}

export interface WaitNewsPlan {
  /** undefined: nothing is to be told yet */
  readonly news: LogFields | undefined;
  readonly nextAtMs: number;
}

/** Whether it is time to say for what a wait still goes on. Pure. */
export function planWaitNews(facts: WaitNewsFacts): WaitNewsPlan {
  const { awaited, beganAtMs, toldAtMs, nowMs, everyMs } = facts;
  const dueAtMs = toldAtMs + everyMs;
  if (nowMs < dueAtMs) return { news: undefined, nextAtMs: dueAtMs };
  const named = awaited.slice(0, MAX_NAMED).map(nameOf);
  const waitedMs = Math.round(nowMs - beganAtMs);
  const news = { waitedMs, active: awaited.length, awaited: named };
  // a loop that was late tells once, not once for each time it missed
  return { news, nextAtMs: nowMs + everyMs };
}

function nameOf({ kind, id, session }: WorkUnit): string {
  return session === undefined ? `${kind} ${id}` : `${kind} ${id} of ${session}`;
}
