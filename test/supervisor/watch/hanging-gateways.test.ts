import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import {
  deathsOf,
  makeHome,
  profileFile,
  supervise,
  toldDeathsOf,
  untilState,
} from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

const WORKER = packageFile('dist', 'test', 'fixtures', 'gateway-that-hangs', 'main.js');

const WATCHDOG = {
  check_seconds: 0.05,
  warn_seconds: 0.3,
  // a loaded machine takes seconds to load what a gateway needs, and that is no stall
  strike_seconds: 2,
  strikes: 3,
  beat_seconds: 0.5,
  silence_seconds: 60,
};

/** The one with the tool hangs once this is there. */
const HANG_NOW = join(tmpdir(), `gw-hang-now-${process.pid}`);

function profile(name: string, place: string, watchdog: object = {}): Record<string, string> {
  return profileFile(name, {
    agent: { driver: 'echo' },
    env: { HANGS_IN: place, HANGS_WITH: HANG_NOW },
    watchdog: { ...WATCHDOG, ...watchdog },
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
    ...profile('deaf', 'deaf'),
    ...profile('well', 'nowhere'),
    ...profile('struck', 'tool', { strike_seconds: 3600 }),
  });
  const running = await supervise(t, home, { worker: WORKER });
  const first = async (name: string) => {
    const patience = { deadlineMs: 120_000 };
    const hasDied = () => toldDeathsOf(running, name).length > 0;
    await until(`history tells how ${name} has died`, hasDied, patience);
    return toldDeathsOf(running, name)[0];
  };

  await untilState(running, 'tool', 'ready');
  await untilState(running, 'struck', 'ready');
  writeFileSync(HANG_NOW, '');
  t.teardown(() => rmSync(HANG_NOW, { force: true }));
  // its strikes would take hours: it is its own guard that ends it
  const isLate = () => running.profile('struck').state === 'degraded';
  await until('the struck one stands still', isLate, { deadlineMs: 120_000 });
  const { degradedBecause } = running.profile('struck').view();
  t.match(
    degradedBecause,
    /^its event loop has stood still since \d{4}-.*Z: blocked in aToolHandler/,
  );
  process.kill(running.profile('struck').view().run?.pid ?? 0, 'SIGTERM');

  const inTool = await first('tool');
  t.equal(inTool?.cause, 'stall');
  t.match(inTool?.detail, /stood still for .*: blocked in aToolHandlerThatHangs \(/);
  t.match(inTool?.evidence, /-stall\.json$/);
  await untilState(running, 'tool', 'ready');

  const struck = await first('struck');
  t.equal(struck?.cause, 'stall', 'a signal from a stranger, whom its loop never heard');
  t.match(struck?.evidence, /-stop-timeout\.json$/);

  const inStart = await first('start');
  t.equal(inStart?.cause, 'start-timeout', 'a loop that hangs before it serves is a failed start');
  t.equal(inStart?.readyMs, undefined, 'it had not been ready');
  t.match(inStart?.detail, /blocked in hangsInItsStart \(/);

  await untilState(running, 'stop', 'ready');
  running.supervisor.verb('stop', 'stop', { now: false, by: 'test' });
  const inStop = await first('stop');
  t.equal(inStop?.cause, 'asked', 'it is still the stop that was asked for');
  t.match(inStop?.detail, /blocked in hangsInItsStop \(/);
  t.match(inStop?.evidence, /\.json$/);
  await untilState(running, 'stop', 'stopped');

  await untilState(running, 'deaf', 'ready');
  const pid = running.profile('deaf').view().run?.pid ?? 0;
  process.kill(pid, 'SIGTERM');
  running.supervisor.verb('deaf', 'stop', { now: false, by: 'test' });
  const inService = await first('deaf');
  t.equal(inService?.pid, pid, 'the signal alone had not ended it');
  t.equal(inService?.cause, 'asked', 'it goes on serving, and that is still no failure');
  t.strictSame(inService?.outcome, { kind: 'signal', signal: 'SIGKILL' });
  const words = 'it did not end in time: its loop was waiting for something to happen';
  t.equal(inService?.detail, words);
  t.match(inService?.evidence, /-stop-timeout\.json$/);
  await untilState(running, 'deaf', 'stopped');

  t.strictSame(deathsOf(running, 'well'), [], 'and who is well is left alone');
});
