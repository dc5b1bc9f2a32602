import fc from 'fast-check';
import t from 'tap';
import { type Ending, expectEnding, judgeEnding } from '../../../src/watchdog/judge-ending.js';
import type { Span } from '../../../src/watchdog/own-time.js';

const ms = fc.integer({ min: 0, max: 120_000 });
const budget = fc.record({ withinMs: fc.integer({ min: 1, max: 120_000 }), patienceMs: ms });
const LOOK_MS = 500;
const span = fc.record({
  passedMs: fc.oneof(fc.integer({ min: LOOK_MS, max: 600 }), ms),
  lookMs: fc.constant(LOOK_MS),
  stolenMs: fc.oneof(fc.constant(0), ms),
});

function stopping(asked: { withinMs: number; patienceMs: number }): Ending {
  const ending = expectEnding(undefined, 'stop-timeout', asked);
  if (ending === undefined) throw new Error('nothing is expected');
  return ending;
}

/** Looks until it is over; undefined: the looks were over first. */
function lookUntilOver(from: Ending, spans: readonly Span[]): number | undefined {
  let ending = from;
  let passedMs = 0;
  for (const one of spans) {
    passedMs += one.passedMs;
    const judged = judgeEnding(ending, one);
    if (judged.isOver) return passedMs;
    ending = judged.ending;
  }
  return undefined;
}

const punctual = (count: number, stolenMs = 0): Span[] =>
  Array.from({ length: count }, () => ({ passedMs: LOOK_MS, lookMs: LOOK_MS, stolenMs }));

t.test('on a host that lets it run, a stop is over when its time is up', async (t) => {
  const stop = stopping({ withinMs: 45_000, patienceMs: 4500 });
  t.equal(lookUntilOver(stop, punctual(1000)), 45_000);
});

t.test('time that the host kept is forgiven, and no longer than there is patience', async (t) => {
  const starved = punctual(1000, LOOK_MS);
  const stop = (patienceMs: number) => stopping({ withinMs: 45_000, patienceMs });
  t.equal(lookUntilOver(stop(4500), starved), 49_500, 'who kills from outside does not wait');
  t.equal(lookUntilOver(stop(0), starved), 45_000, 'nothing was to be forgiven');
  t.equal(lookUntilOver(stop(600_000), starved), 180_000, 'a quarter of it counts in the end');
});

t.test('a thread that was stopped itself forgives the whole gap', async (t) => {
  const stop = stopping({ withinMs: 5000, patienceMs: 100_000 });
  const asleep = { passedMs: 60_000, lookMs: LOOK_MS, stolenMs: 0 };
  t.equal(lookUntilOver(stop, [...punctual(5), asleep, ...punctual(3)]), undefined);
  t.equal(lookUntilOver(stop, [...punctual(5), asleep, ...punctual(4)]), 64_500);
  t.equal(lookUntilOver(stop, [asleep, asleep]), 120_000, 'until its patience is over');
});

t.test('whatever was stolen, it is over at the latest when its patience is', async (t) => {
  fc.assert(
    fc.property(budget, fc.array(span, { maxLength: 200 }), (asked, spans) => {
      const overAtMs = lookUntilOver(stopping(asked), spans);
      const latestMs = asked.withinMs + asked.patienceMs;
      const firstLookAfter = runningSums(spans).find((sumMs) => sumMs >= latestMs);
      if (firstLookAfter !== undefined) return overAtMs !== undefined && overAtMs <= firstLookAfter;
      return true;
    }),
  );
  t.pass();
});

t.test('and it is never over before its own time was up, in time that was not kept', async (t) => {
  fc.assert(
    fc.property(budget, fc.array(span, { maxLength: 200 }), (asked, spans) => {
      const overAtMs = lookUntilOver(stopping(asked), spans);
      return overAtMs === undefined || overAtMs >= asked.withinMs;
    }),
  );
  t.pass();
});

t.test('a stop that is asked for again never gets more time, nor is it called off', async (t) => {
  fc.assert(
    fc.property(budget, budget, fc.constantFrom('start', 'stop', 'settled'), (one, two, what) => {
      const before = stopping(one);
      const kind = what === 'stop' ? 'stop-timeout' : 'start-timeout';
      const after = expectEnding(before, kind, what === 'settled' ? undefined : two);
      return (
        after?.kind === 'stop-timeout' &&
        after.leftMs <= before.leftMs &&
        after.latestLeftMs <= before.latestLeftMs
      );
    }),
  );
  const started = expectEnding(undefined, 'start-timeout', { withinMs: 5, patienceMs: 5 });
  t.equal(expectEnding(started, 'start-timeout', undefined), undefined, 'a start is settled');
  t.equal(expectEnding(started, 'stop-timeout', { withinMs: 9, patienceMs: 0 })?.leftMs, 9);
});

function runningSums(spans: readonly Span[]): number[] {
  let sumMs = 0;
  return spans.map(({ passedMs }) => {
    sumMs += passedMs;
    return sumMs;
  });
}
