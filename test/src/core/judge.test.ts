import t from 'tap';
import { CAUSES } from '../../../src/core/death.js';
import {
  backoffMs,
  DEFAULT_RESTART_POLICY,
  judge,
  type RestartPolicy,
} from '../../../src/core/judge.js';
import { aDeath, deathsAt, times } from '../../support/deaths.js';

const POLICY = DEFAULT_RESTART_POLICY;
const MIDDLE = 0.5;
const MINUTE_MS = 60_000;

const policy = (fields: Partial<RestartPolicy>): RestartPolicy => ({ ...POLICY, ...fields });
const verdictOn = (deaths: Parameters<typeof judge>[1]['deaths'], by = POLICY) =>
  judge(by, { deaths, wasProbe: false }, MIDDLE);

t.test('the defaults are those of the contract', async (t) => {
  t.strictSame(POLICY, {
    backoffBaseMs: 1000,
    backoffCapMs: 300_000,
    jitterRatio: 0.2,
    healthyAfterMs: 600_000,
    plannedMax: 10,
    plannedWindowMs: 60_000,
    stormDeaths: 5,
    stormWindowMs: 120_000,
    maxRestarts: 0,
    maxRestartsWindowMs: 600_000,
    probeEveryMs: 900_000,
  });
  t.ok(Object.isFrozen(POLICY));
});

t.test('back-off doubles with each death from one second and stops at five minutes', async (t) => {
  const delays = times(12, 1).map((count) => {
    const verdict = verdictOn(deathsAt('failure', times(count + 1, 400_000)));
    return verdict.kind === 'restart-after' ? verdict.delayMs : verdict.kind;
  });
  t.strictSame(
    delays,
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1000),
  );
});

t.test('jitter spreads a delay by a fifth to both sides, at the cap too', async (t) => {
  t.equal(backoffMs(POLICY, 0, 0), 800);
  t.equal(backoffMs(POLICY, 0, MIDDLE), 1000);
  t.equal(backoffMs(POLICY, 0, 0.999999), 1200);
  t.equal(backoffMs(POLICY, 40, 0), 240_000);
  t.equal(backoffMs(POLICY, 40, 0.999999), 360_000);
  t.equal(backoffMs(policy({ jitterRatio: 0 }), 3, 0.123), 8000);
});

t.test(
  'the first death after ten healthy minutes restarts at once, the next one after a second',
  async (t) => {
    const early = deathsAt('failure', times(5, 1000));
    const healthy = aDeath({ at: 20 * MINUTE_MS, readyMs: 10 * MINUTE_MS });
    t.equal(verdictOn([...early, healthy]).kind, 'restart-now');
    const next = aDeath({ at: 21 * MINUTE_MS, readyMs: 5000 });
    t.match(verdictOn([...early, healthy, next]), { kind: 'restart-after', delayMs: 1000 });
    const third = aDeath({ at: 22 * MINUTE_MS });
    t.match(verdictOn([...early, healthy, next, third]), { kind: 'restart-after', delayMs: 2000 });
  },
);

t.test(
  'one millisecond short of healthy is not healthy, and uptime is not readiness',
  async (t) => {
    const short = aDeath({ readyMs: 10 * MINUTE_MS - 1 });
    t.equal(verdictOn([short]).kind, 'restart-after');
    const neverReady = aDeath({ uptimeMs: 60 * MINUTE_MS, readyMs: undefined });
    t.equal(verdictOn([neverReady]).kind, 'restart-after');
  },
);

t.test('a crash once a month never waits long', async (t) => {
  const month = 30 * 24 * 60 * MINUTE_MS;
  const deaths = times(24, month).map((at) => aDeath({ at, readyMs: month - 1000 }));
  t.equal(verdictOn(deaths).kind, 'restart-now');
});

t.test('planned restarts are free until more than ten fall within a minute', async (t) => {
  t.strictSame(verdictOn(deathsAt('planned', times(10, 5000))), {
    kind: 'restart-now',
    storm: false,
  });
  t.match(verdictOn(deathsAt('planned', times(11, 5000))), {
    kind: 'restart-after',
    delayMs: 1000,
  });
  t.match(verdictOn(deathsAt('planned', times(12, 5000))), {
    kind: 'restart-after',
    delayMs: 2000,
  });
});

t.test('twenty planned restarts that are spread out cost nothing', async (t) => {
  for (const count of times(20, 1, 1)) {
    t.equal(verdictOn(deathsAt('planned', times(count, 6001))).kind, 'restart-now');
  }
});

t.test('the eleventh within a minute counts to the millisecond', async (t) => {
  const ten = times(10, 100, 1);
  t.equal(verdictOn(deathsAt('planned', [...ten, 60_000])).kind, 'restart-after');
  t.equal(verdictOn(deathsAt('planned', [...ten, 60_001])).kind, 'restart-now');
});

t.test('free planned restarts neither lengthen a back-off nor shorten it', async (t) => {
  const deaths = [
    ...deathsAt('failure', [0, 1000, 2000]),
    ...deathsAt('planned', [3000, 4000]),
    aDeath({ at: 5000 }),
  ];
  t.match(verdictOn(deaths), { kind: 'restart-after', delayMs: 8000 });
});

t.test(
  'more than five deaths in two minutes raise the storm, and the sixth one does',
  async (t) => {
    t.equal(verdictOn(deathsAt('failure', times(5, 20_000))).storm, false);
    t.equal(verdictOn(deathsAt('failure', times(6, 20_000))).storm, true);
    t.equal(verdictOn(deathsAt('failure', times(6, 24_000))).storm, false, 'the first is too old');
    t.equal(verdictOn(deathsAt('failure', times(6, 23_999))).storm, true);
  },
);

t.test('a storm stops nothing: it restarts with growing delay for ever', async (t) => {
  for (const count of [6, 100, 2000]) {
    t.match(verdictOn(deathsAt('failure', times(count, 1000))), {
      kind: 'restart-after',
      storm: true,
    });
  }
});

t.test('asked and planned deaths make no storm', async (t) => {
  t.equal(verdictOn(deathsAt('asked', times(10, 1000))).storm, false);
  t.equal(verdictOn(deathsAt('planned', times(10, 1000))).storm, false);
});

t.test(
  'a refusal parks at the first death, whatever came before and whatever the budget',
  async (t) => {
    for (const cause of ['config', 'usage'] as const) {
      for (const maxRestarts of [0, 1, 100]) {
        for (const before of [[], deathsAt('failure', times(30, 1000))]) {
          const verdict = verdictOn(
            [...before, aDeath({ cause, at: 40_000, readyMs: 99 * MINUTE_MS })],
            policy({ maxRestarts }),
          );
          t.match(verdict, {
            kind: 'park',
            reason: cause,
            retriesOn: 'config-change',
            probeAfterMs: undefined,
          });
        }
      }
    }
  },
);

t.test('a death that was asked for rests', async (t) => {
  t.strictSame(verdictOn([aDeath({ cause: 'asked' })]), { kind: 'rest', storm: false });
  t.strictSame(verdictOn([]), { kind: 'rest', storm: false });
});

t.test('every cause that is nobody’s wish is restarted by default, however often', async (t) => {
  const wanted = new Set(['asked', 'planned', 'config', 'usage']);
  for (const cause of CAUSES.filter((one) => !wanted.has(one))) {
    t.equal(verdictOn(deathsAt(cause, times(1000, 1300))).kind, 'restart-after', cause);
  }
});

t.test('deaths from before the clock was set back lie in no window', async (t) => {
  const hourMs = 60 * MINUTE_MS;
  const planned = deathsAt('planned', [...times(10, 1000, hourMs), 1000]);
  t.equal(verdictOn(planned).kind, 'restart-now');
  const failures = deathsAt('failure', [...times(10, 1000, hourMs), 1000]);
  t.equal(verdictOn(failures).storm, false);
  const budget = policy({ maxRestarts: 3 });
  t.equal(verdictOn(failures, budget).kind, 'restart-after');
});

t.test('the end of its server is never held against a guest', async (t) => {
  for (const cause of CAUSES) {
    const death = aDeath({ cause, servedBy: 'default' });
    const deaths = Array.from({ length: 50 }, () => death);
    const policy = { ...DEFAULT_RESTART_POLICY, maxRestarts: 1 };
    const kind = cause === 'asked' ? 'rest' : 'restart-now';
    t.strictSame(judge(policy, { deaths, wasProbe: false }, 0.5), { kind, storm: false }, cause);
  }
});
