import { clampTimerMs } from '../../core/durations.js';

export interface InactivityWatch {
  /** a sign of life: the time begins again */
  readonly touch: () => void;
  readonly stop: () => void;
}

const NO_WATCH: InactivityWatch = Object.freeze({ touch: () => {}, stop: () => {} });

/** Calls once after so much silence; 0: never. */
export function watchInactivity(limitMs: number, onSilence: () => void): InactivityWatch {
  if (limitMs <= 0) return NO_WATCH;
  const timer = setTimeout(onSilence, clampTimerMs(limitMs));
  return { touch: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}
