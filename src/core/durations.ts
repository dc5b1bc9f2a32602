/** Node fires a longer timer at once (style.md, fact 5). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export function clampTimerMs(delayMs: number): number {
  if (!(delayMs > 0)) return 0;
  return Math.min(delayMs, MAX_TIMER_MS);
}

export function secondsToMs(seconds: number): number {
  return Math.round(seconds * 1000);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `3h 12m`, `45s`, `300ms`: at most two units, for people. */
export function formatDuration(durationMs: number): string {
  const wholeMs = Math.max(0, Math.round(durationMs));
  if (wholeMs < 1000) return `${wholeMs}ms`;
  const parts: string[] = [];
  let restMs = wholeMs;
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(restMs / unitMs);
    if (count > 0) parts.push(`${count}${unit}`);
    restMs -= count * unitMs;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}
