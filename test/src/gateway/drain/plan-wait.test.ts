import t from 'tap';
import { planWait } from '../../../../src/gateway/drain/plan-wait.js';
import { drainBudgets, type WorkKind } from '../../../../src/gateway/drain/work-kinds.js';
import type { ObservedWork } from '../../../../src/gateway/turns/running-turns.js';

const JOBS_FLOOR_MS = 30_000;
const KINDS: readonly WorkKind[] = ['turn', 'api-run', 'delivery', 'job'];

function working(kind: WorkKind, more: Partial<ObservedWork> = {}): ObservedWork {
  const unit = { kind, id: `${kind}-1`, session: undefined, startedAt: 0 };
  return { unit, activeAtMs: 0, isGivenUp: false, ...more };
}

const budgets = drainBudgets({ budgetMs: 10_000, jobsFloorMs: JOBS_FLOOR_MS });
const at = (nowMs: number, work: readonly ObservedWork[], inactivityMs = 0) => {
  const { awaited, late, wedged, nextAtMs } = planWait({
    work,
    budgets,
    beganAtMs: 0,
    nowMs,
    inactivityMs,
  });
  const ids = (units: typeof awaited) => units.map(({ id }) => id);
  return { awaited: ids(awaited), late: ids(late), wedged: ids(wedged), nextAtMs };
};

t.test('with nothing in progress there is nothing to wait for', async (t) => {
  t.strictSame(at(0, []), { awaited: [], late: [], wedged: [], nextAtMs: undefined });
});

for (const kind of KINDS) {
  const budgetMs = kind === 'job' ? 30_000 : 10_000;
  t.test(`a ${kind} has ${budgetMs} ms and is late then`, async (t) => {
    const id = `${kind}-1`;
    t.strictSame(at(0, [working(kind)]), {
      awaited: [id],
      late: [],
      wedged: [],
      nextAtMs: budgetMs,
    });
    t.strictSame(at(budgetMs - 1, [working(kind)]).awaited, [id]);
    t.strictSame(at(budgetMs, [working(kind)]), {
      awaited: [],
      late: [id],
      wedged: [],
      nextAtMs: undefined,
    });
  });
}

t.test('the floor of jobs never shortens a longer budget', async (t) => {
  t.equal(drainBudgets({ budgetMs: 60_000, jobsFloorMs: JOBS_FLOOR_MS }).job, 60_000);
  t.equal(drainBudgets({ budgetMs: 0, jobsFloorMs: JOBS_FLOOR_MS }).job, JOBS_FLOOR_MS);
});

t.test('a job that is awaited does not make a late turn wait with it', async (t) => {
  t.strictSame(at(20_000, [working('turn'), working('job')]), {
    awaited: ['job-1'],
    late: ['turn-1'],
    wedged: [],
    nextAtMs: 30_000,
  });
});

t.test('silent work is awaited only until its silence is too long', async (t) => {
  const silent = working('turn', { activeAtMs: -3000 });
  t.strictSame(at(0, [silent], 5000), {
    awaited: ['turn-1'],
    late: [],
    wedged: [],
    nextAtMs: 2000,
  });
  t.strictSame(at(2000, [silent], 5000).wedged, ['turn-1']);
  t.strictSame(at(2000, [silent], 0).awaited, ['turn-1'], 'never, when there is no limit');
});

t.test('work that was given up and has not let go is wedged at once', async (t) => {
  const plan = at(0, [working('turn', { isGivenUp: true }), working('api-run')]);
  t.strictSame(plan.wedged, ['turn-1']);
  t.strictSame(plan.awaited, ['api-run-1']);
});
