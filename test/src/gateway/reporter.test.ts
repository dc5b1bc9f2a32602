import t from 'tap';
import { EMPTY_REPORT } from '../../../src/core/work.js';
import { Reporter } from '../../../src/gateway/reporter.js';
import { until } from '../../support/gateway-within.js';

function listen(intervalMs: number) {
  const told: string[] = [];
  const link = {
    listen: () => Promise.reject(new Error('nobody listens here')),
    phase: () => {},
    ready: () => told.push('ready'),
    report: () => told.push('report'),
    degraded: (detail: string) => told.push(`degraded ${detail}`),
    recovered: () => told.push('recovered'),
    restartWanted: () => {},
    turnCrowded: () => {},
  };
  const reporter = new Reporter({ link, intervalMs, collect: () => EMPTY_REPORT });
  t.teardown(() => reporter.stop());
  return { told, reporter };
}

t.test('many changes are one report now and one later', async (t) => {
  const { told, reporter } = listen(20);
  reporter.changed();
  t.strictSame(told, [], 'nothing before it is ready');
  reporter.ready();
  for (let change = 0; change < 50; change++) reporter.changed();
  t.strictSame(told, ['ready', 'report']);
  await until(() => told.length === 3, 'the merged one');
  t.strictSame(told, ['ready', 'report', 'report']);
});

t.test('troubles are told as they come and go, each one once', async (t) => {
  const { told, reporter } = listen(1000);
  reporter.setTrouble('store', 'disk full');
  reporter.ready();
  reporter.setTrouble('store', 'disk full');
  reporter.setTrouble('platform', 'no network');
  t.equal(reporter.trouble, 'disk full; no network');
  reporter.setTrouble('store', undefined);
  reporter.setTrouble('platform', undefined);
  t.strictSame(told, [
    'ready',
    'degraded disk full',
    'degraded disk full; no network',
    'degraded no network',
    'recovered',
  ]);
});
