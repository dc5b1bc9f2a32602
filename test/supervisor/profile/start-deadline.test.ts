import fc from 'fast-check';
import t from 'tap';
import { extendDeadline, firstDeadline } from '../../../supervisor/profile/start-deadline.js';

const POLICY = { deadlineMs: 60_000, maxLeaseMs: 300_000, maxTotalMs: 900_000 };

t.test('a lease moves the deadline, at most by the longest lease', async (t) => {
  const facts = { spawnedAt: 0, deadlineAt: 60_000, now: 50_000 };
  t.equal(extendDeadline({ ...facts, leaseMs: 30_000 }, POLICY), 80_000);
  t.equal(extendDeadline({ ...facts, leaseMs: 10_000_000 }, POLICY), 350_000);
});

t.test('a message without a lease changes nothing', async (t) => {
  const facts = { spawnedAt: 0, deadlineAt: 60_000, now: 50_000 };
  t.equal(extendDeadline({ ...facts, leaseMs: 0 }, POLICY), 60_000);
  t.equal(extendDeadline({ ...facts, leaseMs: -5 }, POLICY), 60_000);
});

t.test(
  'no sequence of leases goes beyond the whole start time, and none takes time away',
  async () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ afterMs: fc.nat(400_000), leaseMs: fc.integer() })),
        (steps) => {
          let deadlineAt = firstDeadline(1000, POLICY);
          let now = 1000;
          for (const { afterMs, leaseMs } of steps) {
            now += afterMs;
            const next = extendDeadline({ spawnedAt: 1000, deadlineAt, now, leaseMs }, POLICY);
            if (next < deadlineAt || next > 1000 + POLICY.maxTotalMs) return false;
            deadlineAt = next;
          }
          return true;
        },
      ),
    );
  },
);
