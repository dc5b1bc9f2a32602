import t from 'tap';
import { fixture } from '../support/fixture.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { processesOf, rowOf, untilStatus, up } from '../support/up.js';

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} ends everything in order, with 0 and nothing left`, async (t) => {
    const home = makeHome(t, {
      ...profileFile('builtin', {}),
      ...profileFile('idle', { command: [fixture('never-ready')] }),
      ...profileFile('crasher', { command: [fixture('exits-with'), '1'] }),
    });
    const running = await up(t, home);
    await untilStatus(home, 'they run', (now) => rowOf(now, 'builtin')?.state === 'ready');
    running.child.kill(signal);
    t.equal(await running.exited, 0);
    t.strictSame(processesOf(home), []);
  });
}

t.test('SIGTERM in the middle of the start is an orderly end too', async (t) => {
  const home = makeHome(t, {
    ...profileFile('builtin', {}),
    ...profileFile('mute', { command: [fixture('never-ready')], ready: 'fd' }),
  });
  const running = await up(t, home);
  await untilStatus(home, 'it starts', (now) => rowOf(now, 'mute')?.state === 'starting');
  running.child.kill('SIGTERM');
  t.equal(await running.exited, 0);
  t.strictSame(processesOf(home), []);
});

t.test(
  'a second signal does not wait for the budget of a program that ignores the first',
  async (t) => {
    const home = makeHome(t, {
      ...profileFile('deaf', {
        command: [fixture('ignores-sigterm')],
        ready: { log: 'started' },
        drain_seconds: 3600,
      }),
      'config.yaml': JSON.stringify({ supervisor: { stop: { kill_after_seconds: 0.2 } } }),
    });
    const running = await up(t, home);
    await untilStatus(home, 'it is ready', (now) => rowOf(now, 'deaf')?.state === 'ready');
    running.child.kill('SIGTERM');
    await untilStatus(home, 'it drains', (now) => now.supervisor.state === 'draining');
    running.child.kill('SIGTERM');
    t.equal(await running.exited, 0);
    t.strictSame(processesOf(home), []);
  },
);
