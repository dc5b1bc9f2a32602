import { connect } from 'node:net';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import {
  makeHome,
  profileFile,
  supervise,
  toldDeathsOf,
  untilState,
} from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

const HANGS = packageFile('dist', 'test', 'fixtures', 'gateway-that-hangs', 'main.js');
const DEADLOCKS = packageFile('dist', 'test', 'fixtures', 'gateway-that-deadlocks', 'main.js');
const PATIENCE = { deadlineMs: 90_000 };

const WATCHDOG = { check_seconds: 0.05, beat_seconds: 0.1 };

t.test('a gateway that waits for ever while it is loaded says where', async (t) => {
  const start = { deadline_seconds: 3 };
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({ supervisor: { start } }),
    ...profileFile('a', { agent: { driver: 'echo' }, watchdog: WATCHDOG }),
  });
  const running = await supervise(t, home, { worker: DEADLOCKS });
  await until('it was ended', () => toldDeathsOf(running, 'a').length > 0, PATIENCE);
  const [death] = toldDeathsOf(running, 'a');
  t.equal(death?.cause, 'start-timeout');
  t.match(death?.detail, /^not ready within 3s; blocked in waitsForWhatNeverComes \(/);
  t.match(death?.evidence, /-start-timeout\.json$/);
});

t.test('one that goes on starting lives by its leases, and not for ever', async (t) => {
  const start = { deadline_seconds: 10, max_lease_seconds: 0.4, max_total_seconds: 14 };
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({ supervisor: { start } }),
    ...profileFile('a', { env: { HANGS_IN: 'always-starting' }, watchdog: WATCHDOG }),
  });
  const running = await supervise(t, home, { worker: HANGS });
  await until('it was ended', () => toldDeathsOf(running, 'a').length > 0, PATIENCE);
  const [death] = toldDeathsOf(running, 'a');
  t.equal(death?.cause, 'start-timeout');
  t.ok((death?.uptimeMs ?? 0) >= start.max_total_seconds * 1000, 'its leases were worth something');
  t.match(death?.detail, /^not ready within 14s; last phase: step \d+; /);
  t.match(death?.evidence, /-start-timeout\.json$/);
});

t.test('one that was stopped by a signal is lost; a deaf program ends by the kill', async (t) => {
  const deaf = packageFile('test', 'fixtures', 'ignores-sigterm');
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({ supervisor: { stop: { kill_after_seconds: 0.3 } } }),
    ...profileFile('frozen', { watchdog: { ...WATCHDOG, silence_seconds: 10 } }),
    ...profileFile('deaf', {
      command: [deaf],
      drain_seconds: 0.3,
      jobs_drain_seconds: 0,
      interrupt_grace_seconds: 0.1,
    }),
  });
  const running = await supervise(t, home);
  for (const name of ['frozen', 'deaf']) {
    await until(`${name} is ready`, () => running.profile(name).state === 'ready', PATIENCE);
  }
  const { run } = running.profile('frozen').view();
  await until('its watchdog is heard', () => run?.lastBeatAt !== undefined, PATIENCE);
  process.kill(run?.pid ?? 0, 'SIGSTOP');
  running.supervisor.verb('deaf', 'stop', { now: false, by: 'test' });
  const died = (name: string) => () => toldDeathsOf(running, name).length > 0;
  await until('the silent one was ended', died('frozen'), PATIENCE);
  const [lost] = toldDeathsOf(running, 'frozen');
  t.equal(lost?.cause, 'lost');
  t.match(lost?.detail, /its watchdog was silent for 10s$/);
  await until('the deaf one was ended', died('deaf'), PATIENCE);
  const [asked] = toldDeathsOf(running, 'deaf');
  t.strictSame(asked?.outcome, { kind: 'signal', signal: 'SIGKILL' });
  t.equal(asked?.cause, 'asked');
  t.match(lost?.detail, /^the supervisor ended it: its watchdog/);
  t.equal(run?.isOverdue, false, 'it was ended in time');
  await until('it has a successor', () => running.profile('frozen').view().generation > 1);
});

t.test('a platform that is frozen is opened again, alone', async (t) => {
  const home = makeHome(
    t,
    profileFile('a', {
      env: { HANGS_IN: 'platform' },
      platforms: { api_server: { enabled: true, port: 0 } },
      watchdog: { ...WATCHDOG, prove_seconds: 0.3, proven_within_seconds: 1 },
    }),
  );
  const running = await supervise(t, home, { worker: HANGS });
  await untilState(running, 'a', 'ready');
  const view = () => running.profile('a').view();
  const path = view().run?.gatewayReport.listen.find((one) => one.endsWith('.sock')) ?? '';
  let isCut = false;
  const visitor = connect(path.replace(/^unix:/, ''));
  visitor.once('close', () => {
    isCut = true;
  });
  t.teardown(() => visitor.destroy());
  await until('it is degraded', () => running.count('a', 'degraded') > 0, PATIENCE);
  const told = running.events.flatMap(({ event }) =>
    event.code === 'degraded' ? [event.detail] : [],
  );
  t.match(told[0], /^platform api-server has not worked for .*: no answer within 300ms/);
  await until('it works again', () => running.count('a', 'recovered') > 0, PATIENCE);
  await untilState(running, 'a', 'ready');
  t.equal(isCut, false, 'whoever is connected elsewhere notices nothing');
  t.equal(view().generation, 1, 'and it is the same process');
});
