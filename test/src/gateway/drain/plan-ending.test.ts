import fc from 'fast-check';
import t from 'tap';
import { FIXED_BUDGETS, gatewayBudgets } from '../../../../src/core/budgets.js';
import { LAST_STEPS_MS, planEnding } from '../../../../src/gateway/drain/plan-ending.js';
import { DEFAULT_TIMINGS } from '../../../../src/gateway/timings.js';

const { closeGraceMs } = DEFAULT_TIMINGS;

t.test('whatever the settings, a drain that is on time gets all that its steps want', async (t) => {
  const anyMs = fc.integer({ min: 0, max: 86_400_000 });
  fc.assert(
    fc.property(anyMs, anyMs, (drainMs, interruptGraceMs) => {
      const settings = { drainMs, interruptGraceMs, jobsDrainMs: 0, afterTurnMs: 0 };
      const budgets = gatewayBudgets({ ...settings, isProgram: false });
      const guardAtMs = budgets.drainLimitMs + budgets.guardAfterDrainMs;
      const nowMs = budgets.drainLimitMs;
      const plan = planEnding({ nowMs, guardAtMs, interruptGraceMs, closeGraceMs });
      return plan.interruptMs === interruptGraceMs && plan.closeMs === closeGraceMs;
    }),
  );
  t.ok(LAST_STEPS_MS + closeGraceMs < FIXED_BUDGETS.closingMs);
});

t.test('whoever is late pays for it, and never with the time of the guard', async (t) => {
  const anyMs = fc.integer({ min: -100_000, max: 100_000 });
  fc.assert(
    fc.property(anyMs, fc.nat(10_000), fc.nat(10_000), (leftMs, interruptGraceMs, closeMs) => {
      const plan = planEnding({
        nowMs: 0,
        guardAtMs: leftMs,
        interruptGraceMs,
        closeGraceMs: closeMs,
      });
      const usedMs = plan.interruptMs + plan.closeMs;
      return (
        plan.interruptMs >= 0 &&
        plan.closeMs >= 0 &&
        plan.abandonMs >= 0 &&
        (usedMs === 0 || usedMs + LAST_STEPS_MS <= leftMs)
      );
    }),
  );
  const late = { nowMs: 0, guardAtMs: 2000, interruptGraceMs: 2000, closeGraceMs: 1000 };
  t.strictSame(planEnding(late), { interruptMs: 0, closeMs: 500, abandonMs: 500 });
});
