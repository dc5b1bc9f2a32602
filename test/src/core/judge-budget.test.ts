import fc from 'fast-check';
import t from 'tap';
import { CAUSES, type Death } from '../../../src/core/death.js';
import { MAX_TIMER_MS } from '../../../src/core/durations.js';
import {
  backoffMs,
  DEFAULT_RESTART_POLICY,
  judge,
  type RestartPolicy,
} from '../../../src/core/judge.js';
import { aDeath, deathsAt, times } from '../../support/deaths.js';

const MIDDLE = 0.5;
const BUDGET: RestartPolicy = {
  ...DEFAULT_RESTART_POLICY,
  maxRestarts: 3,
  maxRestartsWindowMs: 100_000,
};

const verdictOn = (deaths: readonly Death[], wasProbe = false, policy = BUDGET) =>
  judge(policy, { deaths, wasProbe }, MIDDLE);

t.test('a set budget parks with the death that exceeds it, and probes later', async (t) => {
  t.equal(verdictOn(deathsAt('failure', times(3, 10_000))).kind, 'restart-after');
  t.match(verdictOn(deathsAt('failure', times(4, 10_000))), {
    kind: 'park',
    reason: 'crash-loop',
    retriesOn: 'probe',
    probeAfterMs: 900_000,
  });
});

t.test(
  'the budget slides for the whole life: a child that lives 1.2 s is parked too',
  async (t) => {
    const slow = deathsAt('failure', times(4, 1200)).map((death) => ({ ...death, uptimeMs: 1200 }));
    t.equal(verdictOn(slow).kind, 'park');
    t.equal(verdictOn(deathsAt('failure', [0, 40_000, 80_000, 101_000])).kind, 'restart-after');
  },
);

t.test('free planned restarts and asked stops spend nothing of it', async (t) => {
  const deaths = [
    ...deathsAt('planned', times(8, 7000)),
    ...deathsAt('asked', [60_000]),
    ...deathsAt('failure', [61_000, 62_000, 63_000]),
  ];
  t.equal(verdictOn(deaths).kind, 'restart-after');
});

t.test('a probe that dies before it was healthy parks again at once', async (t) => {
  const deaths = [...deathsAt('failure', times(4, 10_000)), aDeath({ at: 2_000_000 })];
  t.match(verdictOn(deaths, true), { kind: 'park', reason: 'crash-loop', retriesOn: 'probe' });
  t.equal(verdictOn(deaths, false).kind, 'restart-after', 'any other try has its budget back');
});

t.test('a probe that became healthy ends the crash loop', async (t) => {
  const deaths = [
    ...deathsAt('failure', times(4, 10_000)),
    aDeath({ at: 5_000_000, readyMs: BUDGET.healthyAfterMs }),
  ];
  t.equal(verdictOn(deaths, true).kind, 'restart-now');
});

t.test('without a budget nothing is ever a crash loop, a probe neither', async (t) => {
  const unlimited = { ...BUDGET, maxRestarts: 0 };
  t.equal(verdictOn(deathsAt('failure', times(500, 10)), true, unlimited).kind, 'restart-after');
});

t.test('ten thousand deaths are judged in no time', async (t) => {
  for (const cause of ['failure', 'planned'] as const) {
    for (const stepMs of [1, 100, 61_000]) {
      const deaths = deathsAt(cause, times(10_000, stepMs));
      const startedAt = process.cpuUsage().user;
      verdictOn(deaths);
      const usedMs = (process.cpuUsage().user - startedAt) / 1000;
      // quadratic work over so many takes seconds
      t.ok(usedMs < 1000, `${cause}, ${stepMs} ms apart: ${usedMs} ms`);
    }
  }
});

const anyDeath = fc
  .record({
    cause: fc.constantFrom(...CAUSES),
    at: fc.integer({ min: 0, max: 10_000_000 }),
    uptimeMs: fc.nat(),
    readyMs: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(aDeath);
const anyDeaths = fc
  .array(anyDeath, { minLength: 1, maxLength: 40 })
  .map((deaths) => deaths.sort((left, right) => left.at - right.at));
const anyPolicy: fc.Arbitrary<RestartPolicy> = fc.record({
  backoffBaseMs: fc.integer({ min: 1, max: 2 ** 40 }),
  backoffCapMs: fc.integer({ min: 1, max: 2 ** 40 }),
  jitterRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  healthyAfterMs: fc.nat(),
  plannedMax: fc.nat({ max: 50 }),
  plannedWindowMs: fc.nat(),
  stormDeaths: fc.nat({ max: 50 }),
  stormWindowMs: fc.nat(),
  maxRestarts: fc.nat({ max: 20 }),
  maxRestartsWindowMs: fc.nat(),
  probeEveryMs: fc.integer({ min: 1, max: 2 ** 40 }),
});
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const isTimer = (delayMs: number): boolean =>
  Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= MAX_TIMER_MS;

t.test('no policy and no past give a delay that a timer cannot wait', async (t) => {
  fc.assert(
    fc.property(
      anyPolicy,
      anyDeaths,
      anyRandom,
      fc.boolean(),
      (policy, deaths, random, wasProbe) => {
        const verdict = judge(policy, { deaths, wasProbe }, random);
        if (verdict.kind === 'restart-after') return isTimer(verdict.delayMs);
        if (verdict.kind !== 'park') return true;
        return verdict.retriesOn === 'probe'
          ? isTimer(verdict.probeAfterMs ?? Number.NaN)
          : verdict.probeAfterMs === undefined;
      },
    ),
    { numRuns: 3000 },
  );
  t.pass('3000 of them');
});

t.test('jitter stays within its ratio of the plain delay, which never shrinks', async (t) => {
  const policy = DEFAULT_RESTART_POLICY;
  const plain = { ...policy, jitterRatio: 0 };
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), anyRandom, (step, random) => {
      const plainMs = backoffMs(plain, step, random);
      const delayMs = backoffMs(policy, step, random);
      return (
        Math.abs(delayMs - plainMs) <= plainMs * policy.jitterRatio + 1 &&
        backoffMs(plain, step + 1, random) >= plainMs
      );
    }),
  );
  t.pass('for any number of deaths');
});

t.test('only a refusal or a spent budget parks; only an asked death rests', async (t) => {
  fc.assert(
    fc.property(anyPolicy, anyDeaths, anyRandom, (policy, deaths, random) => {
      const { kind } = judge(policy, { deaths, wasProbe: false }, random);
      const cause = deaths.at(-1)?.cause;
      if (kind === 'rest') return cause === 'asked';
      if (cause === 'asked') return false;
      if (cause === 'config' || cause === 'usage') return kind === 'park';
      return kind !== 'park' || policy.maxRestarts > 0;
    }),
    { numRuns: 3000 },
  );
  t.pass('in 3000 histories');
});
