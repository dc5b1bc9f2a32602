import t from 'tap';
import {
  type InactivityFacts,
  type InactivityLimits,
  InactivityWatch,
  planInactivity,
} from '../../../../src/gateway/turns/inactivity.js';
import { until } from '../../../support/gateway-within.js';

const LIMITS: InactivityLimits = { limitMs: 1800, warningMs: 900, noteMs: 180 };
const QUIET: InactivityFacts = { activeAtMs: 0, shownAtMs: 0, isWarned: false };

const CASES: readonly (readonly [
  string,
  InactivityLimits,
  InactivityFacts,
  number,
  readonly string[],
  number | undefined,
])[] = [
  ['nothing is due at first', LIMITS, QUIET, 0, [], 180],
  ['nothing was shown for a while', LIMITS, QUIET, 180, ['note'], 360],
  ['it works but shows nothing', LIMITS, { ...QUIET, activeAtMs: 900 }, 1000, ['note'], 1180],
  ['it was silent for half of the limit', LIMITS, QUIET, 900, ['warn', 'note'], 1080],
  ['it was warned of already', LIMITS, { ...QUIET, isWarned: true }, 1000, ['note'], 1180],
  ['it was silent for the whole limit', LIMITS, QUIET, 1800, ['give-up'], undefined],
  ['late by hours, it is only given up', LIMITS, QUIET, 9_999_999, ['give-up'], undefined],
  [
    'without a limit it is only warned of',
    { ...LIMITS, limitMs: 0 },
    QUIET,
    5000,
    ['warn', 'note'],
    5180,
  ],
  ['all off', { limitMs: 0, warningMs: 0, noteMs: 0 }, QUIET, 9e15, [], undefined],
  ['only the limit', { limitMs: 5, warningMs: 0, noteMs: 0 }, QUIET, 4, [], 5],
];
for (const [title, limits, facts, nowMs, due, nextAtMs] of CASES) {
  t.test(`the plan of a turn: ${title}`, async (t) => {
    t.strictSame(planInactivity(limits, facts, nowMs), { due, nextAtMs });
  });
}

t.test('a silent turn is noted, warned of once, noted again, and given up last', async (t) => {
  const told: string[] = [];
  const watch = new InactivityWatch(
    { limitMs: 400, warningMs: 150, noteMs: 100 },
    {
      nowMs: () => performance.now(),
      note: () => told.push('note'),
      warn: () => told.push('warn'),
      giveUp: () => told.push('give-up'),
    },
  );
  t.teardown(() => watch.stop());
  await until(() => told.includes('give-up'), 'the end');
  t.equal(told[0], 'note');
  t.equal(told.filter((step) => step === 'warn').length, 1);
  t.ok(told.lastIndexOf('note') > told.indexOf('warn'));
  t.equal(told.at(-1), 'give-up');
});

t.test('a sign of life begins the silence again, and earns a second warning', async (t) => {
  let nowMs = 0;
  const told: string[] = [];
  const watch = new InactivityWatch(
    { limitMs: 1000, warningMs: 5, noteMs: 0 },
    {
      nowMs: () => nowMs,
      note: () => told.push('note'),
      warn: (forMs) => told.push(`warn ${forMs}`),
      giveUp: () => told.push('give-up'),
    },
  );
  t.teardown(() => watch.stop());
  nowMs = 500;
  await until(() => told.length === 1, 'the first warning');
  watch.touch(false);
  nowMs = 1200;
  await until(() => told.length === 2, 'the second one');
  t.strictSame(told, ['warn 500', 'warn 700']);
});
