/** How long a watchdog thread has been silent, as far as we were there to hear it. */
export interface Silence {
  /** monotonic: when we last looked */
  readonly lookedAtMs: number;
  readonly silentMs: number;
}

export interface SilencePolicy {
  /** between two looks */
  readonly lookMs: number;
  readonly limitMs: number;
}

/**
 * Only time in which we ourselves were on time counts: after a sleep of the host, a SIGSTOP or a
 * blocked loop of ours, what was said meanwhile is still in the pipe.
 */
export function nextSilence(
  before: Silence,
  nowMs: number,
  { lookMs, limitMs }: SilencePolicy,
): { readonly silence: Silence; readonly isLost: boolean } {
  const passedMs = Math.max(0, nowMs - before.lookedAtMs);
  const wasLate = passedMs > lookMs * 2;
  const silentMs = before.silentMs + (wasLate ? 0 : Math.min(passedMs, lookMs));
  return { silence: { lookedAtMs: nowMs, silentMs }, isLost: silentMs >= limitMs };
}
