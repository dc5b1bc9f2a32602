/** What lies between two looks of the thread. */
export interface Span {
  readonly passedMs: number;
  /** after which the thread had meant to look again */
  readonly lookMs: number;
  /** what the host kept from the loop (processor, memory) */
  readonly stolenMs: number;
}

/**
 * However busy the host is, so much of the time counts: a loop that is well moves now and then
 * even there, and one that is not must be ended some day.
 */
export const LEAST_SHARE = 0.25;

/**
 * The part of it that a loop is answerable for: the thread itself was on time and the host let the
 * loop run. A host that slept, SIGSTOP and a starved machine make both late.
 */
export function ownTimeMs({ passedMs, lookMs, stolenMs }: Span): number {
  const onTimeMs = Math.max(0, Math.min(passedMs, lookMs));
  return Math.max(onTimeMs * LEAST_SHARE, onTimeMs - Math.max(0, stolenMs));
}
