import { clampTimerMs } from '../core/durations.js';
import type { ManagerVoice } from './voice.js';

/**
 * Who is on time, as the watchdogs see it. A timer that fires proves our loop by itself; this is
 * for what a timer cannot see.
 */
export interface OnTime {
  loopOnTime(): boolean;
  /** desired gateways that their own guards should have ended, and have not */
  lateGateways(): readonly string[];
}

/** Where nobody watches: the timer alone is the proof. */
export const ALWAYS_ON_TIME: OnTime = Object.freeze({
  loopOnTime: () => true,
  lateGateways: () => [],
});

/** undefined: the manager may hear that we live; else why not. */
export function whyWithheld(onTime: OnTime): string | undefined {
  if (!onTime.loopOnTime()) return 'its own loop is late';
  const late = onTime.lateGateways();
  return late.length === 0 ? undefined : `${late.join(', ')} late`;
}

/**
 * Feeds the manager's watchdog from this very loop, twice per interval. What is late is not
 * covered up: the manager restarts us when that lasts.
 * @param withheld told when feeding stops, with the reason, and with undefined when it goes on
 */
export function feedWatchdog(
  voice: ManagerVoice,
  onTime: OnTime,
  withheld: (because: string | undefined) => void,
): () => void {
  if (voice.watchdogMs === undefined) return () => undefined;
  let because: string | undefined;
  const look = (): void => {
    const now = whyWithheld(onTime);
    if (now === undefined) voice.tell({ code: 'alive' });
    if (now !== because) withheld(now);
    because = now;
  };
  look();
  const timer = setInterval(look, Math.max(1, clampTimerMs(voice.watchdogMs / 2)));
  return () => clearInterval(timer);
}
