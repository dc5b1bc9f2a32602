import t from 'tap';
import { describeGap, LateTimer } from '../../../supervisor/watch/late-timer.js';
import { until } from '../../support/until.js';

t.test('a loop that was late says so once it is back, with what it did', async (t) => {
  const told: { where: string; lateMs: number }[] = [];
  const timer = new LateTimer({ sampleMs: 10, warnAfterMs: 300 }, (where, lateMs) =>
    told.push({ where, lateMs }),
  );
  t.teardown(() => timer.stop());
  const endMs = performance.now() + 400;
  while (performance.now() < endMs);
  await until('it is told', () => told.length > 0);
  t.ok((told[0]?.lateMs ?? 0) >= 300);
  t.equal(timer.isOnTime, true);
});

t.test('the time of the process itself tells work from waiting', async (t) => {
  t.match(describeGap(6000, 5000), /^at work by itself: it used 5s/);
  t.match(describeGap(6000, 40), /^it waited/);
});
