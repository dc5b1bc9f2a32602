import { rmSync } from 'node:fs';
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
  t.match(
    why.stdout.replace(/\s+/g, ' '),
    'Its last run, generation 2, was alive when',
    'not the 1st',
  );
  const down = await cli(home, 'status');
  t.equal(down.code, 4);
  t.match(down.stdout, /^deaf .*not known: it went down with its supervisor/m);

  await up(t, home);
  const after = await untilStatus(home, 'all desired are ready again', ({ profiles }) =>
    profiles.every(({ state, desired }) => state === 'ready' || desired === 'stopped'),
  );
  t.match(rowOf(after, 'idle'), { desired: 'stopped', state: 'stopped', pid: null });
  t.equal(rowOf(after, 'deaf')?.restarts.lost, 2, 'counters survive, with the run that vanished');
  t.equal(rowOf(after, 'deaf')?.generation, 3, 'numbers go on');
  const history = (await cli(home, 'history', 'deaf')).stdout;
  t.match(history, /SIGKILL/);
  const vanished = `vanished with its supervisor (pid ${first.pid})`;
  t.match(history, `died: an end that nobody saw (lost)`);
  t.match(history, vanished);
  for (const [name, generation] of [
    ['deaf', 2],
    ['builtin', 1],
  ]) {
    const told = (await cli(home, 'why', `${name}`)).stdout.replace(/\s+/g, ' ');
    t.match(told, `Its last run (generation ${generation}) ended unseen`);
    t.match(told, name === 'deaf' ? vanished : /vanished/, `${name}`);
  }
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

t.test('a second supervisor is refused also when the lock file was deleted', async (t) => {
  const home = makeHome(t, profileFile('builtin', {}));
  const first = await up(t, home);
  const before = await untilStatus(
    home,
    'it is ready',
    (now) => rowOf(now, 'builtin')?.state === 'ready',
  );
  for (const name of ['supervisor.lock', 'supervisor.lock.owner.json']) {
    rmSync(`${home}/state/${name}`, { force: true });
  }
  const second = await cli(home, 'up');
  t.equal(second.code, 78);
  t.match(second.stderr, new RegExp(`pid ${first.pid}\\b`));
  const after = await untilStatus(home, 'it answers', () => true);
  t.equal(rowOf(after, 'builtin')?.pid, rowOf(before, 'builtin')?.pid, 'nothing was touched');
});

t.test('a gateway that somebody else ends with SIGTERM comes back', async (t) => {
  const home = makeHome(t, {
    ...profileFile('builtin', { restart: { backoff_base_seconds: 0.05 } }),
  });
  await up(t, home);
  const before = await untilStatus(
    home,
    'it is ready',
    (now) => rowOf(now, 'builtin')?.state === 'ready',
  );
  process.kill(rowOf(before, 'builtin')?.pid ?? 0, 'SIGTERM');
  const after = await untilStatus(home, 'the next one is ready', (now) => {
    const row = rowOf(now, 'builtin');
    return row?.state === 'ready' && row.generation === 2;
  });
  t.match(rowOf(after, 'builtin')?.lastExit, { code: 1, cause: 'failure', detail: /SIGTERM/ });
});
