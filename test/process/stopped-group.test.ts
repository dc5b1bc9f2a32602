import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { fixture } from '../support/fixture.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli, rowOf, untilStatus, up } from '../support/up.js';

/** Every limit, and the longer stop: a minute where there is time for it. */
const [LIMIT_SECONDS, STOPPED_MS] =
  process.env['GATEWARDEN_THOROUGH'] === '1' ? [40, 60_000] : [8, 10_000];

const WATCHDOG = {
  check_seconds: 0.2,
  warn_seconds: LIMIT_SECONDS / 2,
  strike_seconds: LIMIT_SECONDS / 4,
  strikes: 4,
  beat_seconds: 1,
  silence_seconds: LIMIT_SECONDS,
  prove_seconds: LIMIT_SECONDS / 4,
  proven_within_seconds: LIMIT_SECONDS,
};

t.test(
  'a process group that was stopped for longer than every limit goes on as it was',
  { timeout: 300_000 },
  async (t) => {
    const home = makeHome(t, {
      ...profileFile('gateway', { watchdog: WATCHDOG }),
      ...profileFile('program', { command: [fixture('says-then-sleeps'), 'serving'] }),
    });
    const { pid } = await up(t, home);
    const isReady = (name: string) => (now: Parameters<typeof rowOf>[0]) =>
      rowOf(now, name)?.state === 'ready';
    await untilStatus(home, 'the program is ready', isReady('program'));
    const before = await untilStatus(home, 'the gateway is ready', isReady('gateway'));
    const pids = [pid, ...before.profiles.flatMap((row) => row.pid ?? [])];
    t.equal(pids.length, 3);
    const signalAll = (signal: NodeJS.Signals) => {
      for (const one of pids) process.kill(one, signal);
    };
    t.teardown(() => signalAll('SIGCONT'));
    signalAll('SIGSTOP');
    // nothing can be waited for: nobody of them does anything
    await delay(STOPPED_MS);
    // who watches is back first
    signalAll('SIGCONT');

    const continuedAt = performance.now();
    const after = await untilStatus(
      home,
      'all of them have looked at each other again, often',
      (now) =>
        isReady('gateway')(now) && performance.now() - continuedAt > (LIMIT_SECONDS * 1000) / 4,
    );
    for (const { name } of before.profiles) {
      t.equal(rowOf(after, name)?.pid, rowOf(before, name)?.pid, `${name} is the same process`);
      t.equal(rowOf(after, name)?.restarts.total, 0);
    }
    const { stdout } = await cli(home, 'history', '--json');
    t.notMatch(stdout, /"died"/, 'and nobody has died');
  },
);
