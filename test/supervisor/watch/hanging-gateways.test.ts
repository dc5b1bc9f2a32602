import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import { deathsOf, makeHome, profileFile, supervise } from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

const WORKER = packageFile('dist', 'test', 'fixtures', 'gateway-that-hangs', 'main.js');

const WATCHDOG = {
  check_seconds: 0.05,
  warn_seconds: 0.3,
  strike_seconds: 0.4,
  strikes: 3,
  beat_seconds: 0.5,
  silence_seconds: 60,
};

/** The one with the tool hangs once this is there. */
const HANG_NOW = join(tmpdir(), `gw-hang-now-${process.pid}`);

function profile(name: string, place: string): Record<string, string> {
  return profileFile(name, {
    agent: { driver: 'echo' },
    env: { HANGS_IN: place, HANGS_WITH: HANG_NOW },
    watchdog: WATCHDOG,
    drain_seconds: 0.2,
    jobs_drain_seconds: 0,
    interrupt_grace_seconds: 0.1,
  });
}

t.test('each way to hang is ended, named and followed as it should be', async (t) => {
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({ supervisor: { start: { deadline_seconds: 600 } } }),
    ...profile('tool', 'tool'),
    ...profile('start', 'start'),
    ...profile('stop', 'stop'),
    ...profile('well', 'nowhere'),
  });
  const running = await supervise(t, home, { worker: WORKER });
  const first = async (name: string) => {
    const patience = { deadlineMs: 120_000 };
    await until(`${name} has died`, () => deathsOf(running, name).length > 0, patience);
    return deathsOf(running, name)[0];
  };

  await until('the one with the tool is ready', () => running.profile('tool').state === 'ready', {
    deadlineMs: 60_000,
  });
  writeFileSync(HANG_NOW, '');
  t.teardown(() => rmSync(HANG_NOW, { force: true }));
  const inTool = await first('tool');
  t.equal(inTool?.cause, 'stall');
  t.match(inTool?.detail, /stood still for .*: blocked in aToolHandlerThatHangs \(/);
  t.match(inTool?.evidence, /-stall\.json$/);
  await until('its successor is ready', () => running.profile('tool').state === 'ready', {
    deadlineMs: 60_000,
  });

  const inStart = await first('start');
  t.equal(inStart?.cause, 'start-timeout', 'a loop that hangs before it serves is a failed start');
  t.equal(inStart?.readyMs, undefined, 'it had not been ready');
  t.match(inStart?.detail, /blocked in hangsInItsStart \(/);

  await until(
    'the one that will hang in its stop is ready',
    () => running.profile('stop').state === 'ready',
    { deadlineMs: 60_000 },
  );
  running.supervisor.verb('stop', 'stop', { now: false, by: 'test' });
  const inStop = await first('stop');
  t.equal(inStop?.cause, 'asked', 'it is still the stop that was asked for');
  t.match(inStop?.detail, /blocked in hangsInItsStop \(/);
  t.match(inStop?.evidence, /\.json$/);
  await until('it stays down', () => running.profile('stop').state === 'stopped');

  t.strictSame(deathsOf(running, 'well'), [], 'and who is well is left alone');
});
