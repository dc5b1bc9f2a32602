import t from 'tap';
import { judgeReadings, LeakGauge } from '../../../src/containment/index.js';
import { until } from '../../support/until.js';

const reading = (processes: number, profile = 'coder') => ({ profile, processes, threshold: 64 });
const nameOf = ({ profile }: { readonly profile: string }) => profile;

t.test('the alarm is told once for each crossing', async (t) => {
  const counts = [10, 64, 65, 200, 64, 65];
  let above: ReadonlySet<string> = new Set();
  const told = counts.map((count) => {
    const gauged = judgeReadings([reading(count), reading(1, 'other')], nameOf, above);
    above = gauged.above;
    return gauged.alarms.map(({ processes }) => processes);
  });
  t.strictSame(told, [[], [], [65], [], [], [65]]);
});

t.test('a profile that stopped and leaks again is an alarm again', async (t) => {
  const { above } = judgeReadings([reading(65)], nameOf, new Set());
  const stopped = judgeReadings([], nameOf, above);
  t.strictSame(judgeReadings([reading(65)], nameOf, stopped.above).alarms.length, 1);
});

t.test('the gauge looks again and again until it is stopped', async (t) => {
  let looks = 0;
  const alarms: number[] = [];
  const gauge = new LeakGauge({
    read: async () => [reading(60 + looks++)],
    nameOf,
    alarm: ({ processes }) => alarms.push(processes),
    everyMs: 1,
  });
  gauge.start();
  await until('it has looked often', () => looks > 10);
  gauge.stop();
  t.strictSame(alarms, [65]);
});
