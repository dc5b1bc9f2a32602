import t from 'tap';
import { fixture } from '../support/fixture.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli, processesOf, rowOf, untilNothingIsLeft, untilStatus, up } from '../support/up.js';

t.test('a killed supervisor leaves nothing behind, and the next one knows the past', async (t) => {
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({ supervisor: { stop: { kill_after_seconds: 0.2 } } }),
    ...profileFile('builtin', {}),
    ...profileFile('deaf', { command: [fixture('ignores-sigterm')], ready: { log: 'started' } }),
    ...profileFile('parent', {
      command: [fixture('leaves-grandchildren')],
      ready: { log: 'grandchild' },
    }),
    ...profileFile('idle', { command: [fixture('never-ready')] }),
  });
  const first = await up(t, home);
  const before = await untilStatus(home, 'all are ready', ({ profiles }) =>
    profiles.every(({ state }) => state === 'ready'),
  );
  t.equal((await cli(home, 'stop', 'idle')).code, 0);
  process.kill(rowOf(before, 'deaf')?.pid ?? 0, 'SIGKILL');
  await untilStatus(home, 'the killed one is back', (now) => rowOf(now, 'deaf')?.generation === 2);
  t.ok(processesOf(home).length >= 4, 'there is something to leave behind');
  first.child.kill('SIGKILL');
  await first.exited;
  await untilNothingIsLeft(home);
  const why = await cli(home, 'why', 'deaf');
  t.equal(why.code, 0, 'why works with the supervisor down');
  t.equal((await cli(home, 'status')).code, 4);

  await up(t, home);
  const after = await untilStatus(home, 'all desired are ready again', ({ profiles }) =>
    profiles.every(({ state, desired }) => state === 'ready' || desired === 'stopped'),
  );
  t.match(rowOf(after, 'idle'), { desired: 'stopped', state: 'stopped', pid: null });
  t.equal(rowOf(after, 'deaf')?.restarts.lost, 1, 'counters survive');
  t.equal(rowOf(after, 'deaf')?.generation, 3, 'numbers go on');
  t.match((await cli(home, 'history', 'deaf')).stdout, /SIGKILL/);
});

t.test('a second supervisor of one home is refused and told who owns it', async (t) => {
  const home = makeHome(t, profileFile('idle', { command: [fixture('never-ready')] }));
  const first = await up(t, home);
  await untilStatus(home, 'it is ready', (now) => rowOf(now, 'idle')?.state === 'ready');
  const second = await cli(home, 'up');
  t.equal(second.code, 78);
  t.match(second.stderr, new RegExp(`pid ${first.pid}\\b.*already-running`, 's'));
  t.equal(processesOf(home).length > 0, true, 'the first one is untouched');
});
