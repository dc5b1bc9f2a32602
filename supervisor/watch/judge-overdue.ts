import type { EndingTimes } from '../../src/containment/index.js';
import type { WatchPolicy } from '../../src/core/watch.js';
import { LEAST_SHARE } from '../../src/watchdog/own-time.js';

/** What is known of a gateway that should not be there any more; epoch milliseconds. */
export interface OverdueFacts {
  readonly now: number;
  /** undefined: its loop moves */
  readonly lateSince: number | undefined;
  /** when its supervisor began to end it; undefined: it has not */
  readonly killedAt: number | undefined;
}

export interface OverduePolicy {
  readonly watch: Pick<WatchPolicy, 'strikeMs' | 'strikes' | 'warnOnly'>;
  readonly ending: EndingTimes;
}

/** The stack that is read before the end, a disk that is slow, and a look that comes late. */
const MARGIN_MS = 30_000;

/**
 * Whether the guards that should have ended it have failed. One that they deal with in time is no
 * reason for a service manager to restart everybody.
 */
export function isOverdue(facts: OverdueFacts, { watch, ending }: OverduePolicy): boolean {
  const { now, lateSince, killedAt } = facts;
  // its root gets the grace twice: with the signal, and its survivors again
  const endedWithinMs = 2 * ending.graceMs + ending.giveUpMs + MARGIN_MS;
  if (killedAt !== undefined && now - killedAt > endedWithinMs) return true;
  if (lateSince === undefined || watch.warnOnly) return false;
  // of a starved host's time a share counts at least
  const stalledWithinMs = (watch.strikeMs * watch.strikes) / LEAST_SHARE + MARGIN_MS;
  return now - lateSince > stalledWithinMs;
}
