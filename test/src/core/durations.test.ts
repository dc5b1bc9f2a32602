import fc from 'fast-check';
import t from 'tap';
import {
  clampTimerMs,
  formatDuration,
  MAX_TIMER_MS,
  secondsToMs,
} from '../../../src/core/durations.js';

t.test('a timer is never longer than Node can wait, nor negative, nor not a number', async (t) => {
  fc.assert(
    fc.property(fc.double(), (delayMs) => {
      const clamped = clampTimerMs(delayMs);
      return clamped >= 0 && clamped <= MAX_TIMER_MS;
    }),
  );
  t.equal(clampTimerMs(5), 5);
  t.equal(clampTimerMs(MAX_TIMER_MS + 1), MAX_TIMER_MS);
  for (const odd of [Number.NaN, -1, 0, Number.NEGATIVE_INFINITY]) t.equal(clampTimerMs(odd), 0);
  t.equal(clampTimerMs(Number.POSITIVE_INFINITY), MAX_TIMER_MS);
});

t.test('seconds become whole milliseconds', async (t) => {
  t.equal(secondsToMs(1.5), 1500);
  t.equal(secondsToMs(0.1 + 0.2), 300);
  t.equal(secondsToMs(0), 0);
});

t.test('a duration is told in at most two units, the larger one first', async (t) => {
  for (const [durationMs, text] of [
    [0, '0ms'],
    [-5, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [61_000, '1m 1s'],
    [3_600_000, '1h'],
    [11_520_000, '3h 12m'],
    [86_400_000, '1d'],
    [90_061_000, '1d 1h'],
    [3_605_000, '1h 5s'],
  ] as const) {
    t.equal(formatDuration(durationMs), text);
  }
});

t.test('a told duration never claims more than has passed', async () => {
  const unitMs: Readonly<Record<string, number>> = {
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 11 }), (durationMs) => {
      const toldMs = [...formatDuration(durationMs).matchAll(/(\d+)(ms|[smhd])/g)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? Number.NaN),
        0,
      );
      return toldMs <= durationMs && toldMs >= durationMs * 0.5;
    }),
  );
});
