import fc from 'fast-check';
import t from 'tap';
import {
  BUDGET_STEPS,
  type BudgetChain,
  type BudgetSettings,
  clientWaitMs,
  FIXED_BUDGETS,
  gatewayBudgets,
  guardBudget,
  hostChain,
  profileChain,
  withinManager,
} from '../../../src/core/budgets.js';
import { MAX_TIMER_MS } from '../../../src/core/durations.js';

const DEFAULTS: BudgetSettings = {
  drainMs: 30_000,
  jobsDrainMs: 30_000,
  afterTurnMs: 1_800_000,
  interruptGraceMs: 2000,
  killAfterMs: 5000,
  isProgram: false,
};

/** Whatever a configuration may say: the schema takes 0 to 2147483 seconds, also parts of one. */
const anyMs = fc.oneof(
  fc.constantFrom(0, 1, 1000, 30_000, MAX_TIMER_MS - 1, 2_147_483_000),
  fc.integer({ min: 0, max: 2_147_483_000 }),
);
const anySettings = fc.record({
  drainMs: anyMs,
  jobsDrainMs: anyMs,
  afterTurnMs: anyMs,
  interruptGraceMs: anyMs,
  killAfterMs: anyMs,
  isProgram: fc.boolean(),
});

function holds(chain: BudgetChain): boolean {
  const marks = BUDGET_STEPS.map((step) => chain.at[step]);
  const rises = marks.every((mark, index) => index === 0 || mark > (marks[index - 1] ?? 0));
  const isInRange = marks.every((mark) => mark >= 0 && mark <= MAX_TIMER_MS);
  const areRowsTrue = chain.rows.every(
    (row, index) =>
      row.step === BUDGET_STEPS[index] &&
      row.atMs === marks[index] &&
      row.addsMs === row.atMs - (marks[index - 1] ?? 0) &&
      row.reason !== '',
  );
  return rises && isInRange && marks.every(Number.isInteger) && areRowsTrue;
}

t.test('for every valid configuration each budget ends before the next one', async (t) => {
  fc.assert(fc.property(anySettings, (settings) => holds(profileChain(settings))));
  t.pass('a profile');
  fc.assert(
    fc.property(fc.array(anySettings, { maxLength: 30 }), (profiles) => holds(hostChain(profiles))),
  );
  t.pass('a host, also one without profiles');
});

t.test("the host's chain gives every profile what its own chain gives it", async (t) => {
  fc.assert(
    fc.property(fc.array(anySettings, { minLength: 1, maxLength: 20 }), (profiles) => {
      const host = hostChain(profiles);
      fc.pre(!host.isCut);
      return profiles.every((settings) => {
        const { at } = profileChain(settings);
        return BUDGET_STEPS.every((step) => host.at[step] >= at[step]);
      });
    }),
  );
  t.pass();
});

t.test('a gateway gets no more than its chain has', async (t) => {
  fc.assert(
    fc.property(anySettings, (settings) => {
      const inside = gatewayBudgets(settings);
      const { at } = profileChain({ ...settings, killAfterMs: 0 });
      const endMs = inside.drainLimitMs + inside.guardAfterDrainMs + inside.dumpMs;
      return (
        inside.drainMs <= inside.drainLimitMs &&
        inside.jobsDrainMs <= inside.drainLimitMs &&
        inside.interruptGraceMs <= inside.guardAfterDrainMs &&
        endMs === at['evidence-dump'] &&
        endMs < at['supervisor-kill'] &&
        Object.values(inside).every((ms) => ms >= 0 && ms <= MAX_TIMER_MS)
      );
    }),
  );
  t.pass();
});

t.test('however patient the guard is, its dump is written before the next one kills', async (t) => {
  const { evidenceDumpMs, guardExitMs, guardLookMs } = FIXED_BUDGETS;
  fc.assert(
    fc.property(anySettings, (settings) => {
      const chain = profileChain(settings);
      const dumpMs = chain.at['evidence-dump'] - chain.at['interrupt-grace'];
      const { withinMs, patienceMs } = guardBudget(chain);
      const writtenMs = withinMs + patienceMs + guardLookMs + dumpMs;
      const isSupervisedFine = patienceMs === 0 || writtenMs <= chain.at['supervisor-kill'];
      const lone = gatewayBudgets(settings);
      const loneGuardMs = lone.drainLimitMs + lone.guardAfterDrainMs + lone.guardPatienceMs;
      const loneExitMs = loneGuardMs + guardLookMs + lone.dumpMs + guardExitMs;
      return (
        isSupervisedFine &&
        withinMs + dumpMs < chain.at['supervisor-kill'] &&
        (lone.guardPatienceMs === 0 || loneExitMs <= chain.at['manager-stop'])
      );
    }),
  );
  t.strictSame(guardBudget(profileChain(DEFAULTS)), { withinMs: 45_000, patienceMs: 4500 });
  t.equal(gatewayBudgets(DEFAULTS).guardPatienceMs, 20_500);
  t.equal(evidenceDumpMs, 5000);
});

t.test('with the defaults the numbers are these', async (t) => {
  t.strictSame(profileChain(DEFAULTS).at, {
    drain: 40_000,
    'interrupt-grace': 45_000,
    'evidence-dump': 50_000,
    'supervisor-kill': 55_000,
    'manager-stop': 85_000,
    'runtime-grace': 95_000,
  });
  t.equal(profileChain(DEFAULTS).isCut, false);
  t.equal(hostChain([DEFAULTS, DEFAULTS]).at['manager-stop'], 88_000);
});

t.test('a drain of 0 still lets jobs finish, unless they are given nothing either', async (t) => {
  t.equal(profileChain({ ...DEFAULTS, drainMs: 0 }).at.drain, 40_000);
  const none = profileChain({ ...DEFAULTS, drainMs: 0, jobsDrainMs: 0 });
  t.equal(none.at.drain, 0);
  t.equal(none.at['manager-stop'], FIXED_BUDGETS.managerFloorMs, 'never below the floor');
});

t.test('a second drain budget counts: the longer of the two decides', async (t) => {
  const { at } = profileChain({ ...DEFAULTS, jobsDrainMs: 120_000 });
  t.equal(at.drain, 130_000, 'with what the last job needs to write its result');
  t.equal(at['manager-stop'], 175_000);
});

t.test('a program of its own has neither jobs nor a guard to wait for', async (t) => {
  const { at } = profileChain({ ...DEFAULTS, isProgram: true });
  t.equal(at.drain, 30_000);
  t.ok(at['supervisor-kill'] - at.drain < DEFAULTS.killAfterMs + 10);
});

t.test('what is longer than a timer is cut from the drain, and told', async (t) => {
  const chain = profileChain({ ...DEFAULTS, drainMs: 2_147_483_000 });
  t.equal(chain.isCut, true);
  t.ok(chain.at['runtime-grace'] <= MAX_TIMER_MS);
  t.equal(chain.at['supervisor-kill'] - chain.at.drain, 15_000, 'the other steps stay whole');
});

t.test('under a manager that gives less, guard and dump still end before its kill', async (t) => {
  fc.assert(
    fc.property(anySettings, fc.integer({ min: 0, max: 600_000 }), (settings, stopMs) => {
      const within = withinManager(settings, stopMs);
      const { at } = profileChain({ ...within, killAfterMs: 0 });
      const fixed = profileChain({ ...within, drainMs: 0, jobsDrainMs: 0, killAfterMs: 0 }).at;
      const isPossible = fixed['evidence-dump'] + 10_000 < stopMs;
      fc.pre(isPossible);
      return (
        within.drainMs <= settings.drainMs &&
        within.jobsDrainMs <= settings.jobsDrainMs &&
        at['evidence-dump'] < stopMs
      );
    }),
  );
  t.equal(withinManager(DEFAULTS, 60_000).drainMs, 30_000, 'a minute is enough for the default');
  t.equal(withinManager(DEFAULTS, 25_000).drainMs, 13_000);
});

t.test('a client waits longer than the daemon takes', async (t) => {
  const chain = profileChain(DEFAULTS);
  t.equal(clientWaitMs(chain), 70_000);
  t.equal(clientWaitMs(chain, DEFAULTS.afterTurnMs), 1_870_000);
  fc.assert(
    fc.property(anySettings, (settings) => {
      const waitMs = clientWaitMs(profileChain(settings), settings.afterTurnMs);
      return waitMs <= MAX_TIMER_MS && waitMs > 0;
    }),
  );
});
