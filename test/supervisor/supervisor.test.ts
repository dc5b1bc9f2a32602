import { rmSync } from 'node:fs';
import t from 'tap';
import { fixture } from '../support/fixture.js';
import {
  makeHome,
  profileFile,
  supervise,
  untilState,
  writeHomeFile,
} from '../support/supervised-home.js';
import { until } from '../support/until.js';

/** Short enough for tests, long enough to be told apart from nothing. */
const FAST = {
  restart: { backoff_base_seconds: 0.05, backoff_cap_seconds: 0.4 },
  drain_seconds: 1,
};
const HOST = JSON.stringify({ supervisor: { stop: { kill_after_seconds: 0.5 } } });

function program(name: string, ...args: string[]): { command: string[] } {
  return { command: [fixture(name), ...args] };
}

t.test('a refusal with 78 is started once and parked with its words', async (t) => {
  const home = makeHome(t, profileFile('refuser', { ...FAST, ...program('exits-78') }));
  const running = await supervise(t, home);
  await untilState(running, 'refuser', 'parked');
  const view = running.profile('refuser').view();
  t.equal(running.count('refuser', 'spawned'), 1);
  t.equal(view.parked?.reason, 'config');
  t.equal(view.parked?.detail, 'no token is set');
  t.match(view.parked?.remedy, /gatewarden start refuser/);
  t.equal(view.deaths.counters.config, 1);
  t.equal(running.count('refuser', 'parked'), 1);
});

t.test('a failure backs off, longer each time, and an operator’s stop ends that', async (t) => {
  const home = makeHome(t, profileFile('crasher', { ...FAST, ...program('exits-with', '1') }));
  const running = await supervise(t, home);
  await until('it died four times', () => running.count('crasher', 'died') >= 4);
  const delays = running.events.flatMap(({ event }) =>
    event.code === 'restart-in' ? [event.delayMs] : [],
  );
  t.strictSame(delays.slice(0, 4), [50, 100, 200, 400]);
  running.supervisor.verb('crasher', 'stop', { now: false, by: 'test' });
  await untilState(running, 'crasher', 'stopped');
  t.equal(running.profile('crasher').view().desired, 'stopped');
});

t.test('a planned restart costs nothing and a clean end rests', async (t) => {
  const home = makeHome(t, {
    ...profileFile('planner', { ...FAST, ...program('exits-75-once') }),
    ...profileFile('finisher', { ...FAST, ...program('exits-with', '0') }),
  });
  const running = await supervise(t, home);
  await untilState(running, 'finisher', 'stopped');
  t.equal(running.count('finisher', 'spawned'), 1);
  await untilState(running, 'planner', 'ready');
  const counters = running.profile('planner').view().deaths.counters;
  t.equal(counters.planned, 1);
  t.equal(counters.total, 1);
  t.equal(running.count('planner', 'restart-in'), 0);
});

t.test('a program that never says ready is ended and counted as such', async (t) => {
  const home = makeHome(t, {
    'config.yaml': JSON.stringify({
      supervisor: { start: { deadline_seconds: 0.3 }, stop: { kill_after_seconds: 0.2 } },
    }),
    ...profileFile('mute', { ...FAST, ...program('never-ready'), ready: 'fd' }),
  });
  const running = await supervise(t, home);
  await until('it was given up', () => running.count('mute', 'died') >= 1);
  const last = running.profile('mute').view().deaths.last;
  t.equal(last?.cause, 'start-timeout');
  t.match(last?.detail, /not ready within 300ms/);
  t.equal(running.count('mute', 'ready'), 0);
});

t.test(
  'a program that ignores SIGTERM is killed after its budget, and the stop is done',
  async (t) => {
    const home = makeHome(t, {
      'config.yaml': HOST,
      ...profileFile('deaf', {
        ...FAST,
        drain_seconds: 0.2,
        ...program('ignores-sigterm'),
        ready: { log: 'started' },
      }),
    });
    const running = await supervise(t, home);
    await untilState(running, 'deaf', 'ready');
    running.supervisor.verb('deaf', 'stop', { now: false, by: 'test' });
    await untilState(running, 'deaf', 'stopped');
    const last = running.profile('deaf').view().deaths.last;
    t.strictSame(last?.outcome, { kind: 'signal', signal: 'SIGKILL' });
    t.equal(last?.cause, 'asked');
    t.match(
      last?.detail,
      /^it had not ended .* after it was asked to, so the supervisor killed it$/,
    );
  },
);

t.test('the five kinds of readiness', async (t) => {
  const port = 20_000 + (process.pid % 10_000);
  const home = makeHome(t, {
    ...profileFile('by-fd', { ...program('ready-on-fd3'), ready: 'fd' }),
    ...profileFile('by-log', {
      ...program('says-then-sleeps', 'now serving'),
      ready: { log: '^now ' },
    }),
    ...profileFile('by-time', { ...program('never-ready'), ready: { started_seconds: 0.1 } }),
    ...profileFile('by-http', {
      command: ['/usr/bin/env', 'python3', fixture('http-server.py'), String(port)],
      ready: { http: `http://127.0.0.1:${port}/` },
    }),
    ...profileFile('by-notify', {
      command: ['/usr/bin/env', 'python3', fixture('notifies.py')],
      ready: 'notify',
    }),
  });
  const running = await supervise(t, home);
  for (const kind of ['by-fd', 'by-log', 'by-time', 'by-http', 'by-notify']) {
    await untilState(running, kind, 'ready');
    t.equal(running.count(kind, 'ready'), 1, kind);
  }
});

t.test('a mended file starts a parked profile by itself, once', async (t) => {
  const home = makeHome(t, profileFile('mended', { ...FAST, command: [] }));
  const running = await supervise(t, home);
  await untilState(running, 'mended', 'parked');
  t.equal(running.count('mended', 'spawned'), 0);
  running.supervisor.retryChanged();
  t.equal(running.profile('mended').state, 'parked', 'nothing changed yet');
  for (const [name, text] of Object.entries(
    profileFile('mended', { ...FAST, ...program('never-ready'), ready: { started_seconds: 0.01 } }),
  )) {
    writeHomeFile(home, name, text);
  }
  running.supervisor.retryChanged();
  await untilState(running, 'mended', 'ready');
  t.equal(running.count('mended', 'spawned'), 1);
});

t.test('a killed root takes what it left behind with it before the successor', async (t) => {
  const home = makeHome(
    t,
    profileFile('parent', { ...FAST, ...program('leaves-grandchildren'), ready: { log: 'grand' } }),
  );
  const running = await supervise(t, home);
  await untilState(running, 'parent', 'ready');
  const { run } = running.profile('parent').view();
  process.kill(run?.pid ?? 0, 'SIGKILL');
  await until('the second generation is ready', () => running.count('parent', 'ready') === 2);
  const codes = running.events.map(({ event }) => event.code);
  t.ok(codes.includes('leftovers-ended'));
  t.ok(
    codes.indexOf('leftovers-ended') < codes.lastIndexOf('spawned'),
    'the tree was empty before the next spawn',
  );
  t.equal(running.profile('parent').view().deaths.last?.cause, 'lost');
});

t.test('verbs in every state lead where they say', async (t) => {
  const home = makeHome(t, {
    ...profileFile('one', { ...FAST, ...program('never-ready'), ready: { started_seconds: 0.01 } }),
  });
  const running = await supervise(t, home);
  const { supervisor } = running;
  await untilState(running, 'one', 'ready');
  const restart = supervisor.verb('one', 'restart', { now: false, by: 'test' });
  const same = supervisor.verb('one', 'restart', { now: false, by: 'test' });
  t.equal(same.id, restart.id, 'concurrent verbs share a job');
  await until('the job is done', () => supervisor.jobs.find(restart.id)?.phase === 'done');
  t.equal(running.profile('one').view().generation, 2);
  const stop = supervisor.verb('one', 'stop', { now: false, by: 'test' });
  await until('it is stopped', () => supervisor.jobs.find(stop.id)?.phase === 'done');
  const start = supervisor.verb('one', 'start', { now: false, by: 'test' });
  await until('it is started', () => supervisor.jobs.find(start.id)?.phase === 'done');
  t.equal(running.profile('one').state, 'ready');
  t.throws(() => supervisor.verb('nobody', 'start', { now: false, by: 'test' }), {
    code: 'unknown-profile',
  });
});

t.test('a bad new configuration leaves a running gateway alone', async (t) => {
  const good = { ...program('never-ready'), ready: { started_seconds: 0.01 } };
  const home = makeHome(t, profileFile('steady', good));
  const running = await supervise(t, home);
  await untilState(running, 'steady', 'ready');
  const before = running.profile('steady').view().run?.pid;
  writeHomeFile(home, 'profiles/steady/config.yaml', 'comand: [x]\n');
  const outcome = running.supervisor.reload('test');
  t.match(outcome.problems, /comand/);
  t.equal(running.profile('steady').view().run?.pid, before);
  t.match(running.supervisor.refusalOf('steady'), /comand/);
  const [[name = '', text = ''] = []] = Object.entries(
    profileFile('steady', { ...good, env: { A: 'b' } }),
  );
  writeHomeFile(home, name, text);
  t.strictSame(running.supervisor.reload('test').changed, ['steady']);
  await until('it was replaced', () => running.count('steady', 'ready') === 2);
  t.equal(running.supervisor.refusalOf('steady'), undefined);
});

t.test('a file that is put back to what is in force is refused no longer', async (t) => {
  const good = { ...program('never-ready'), ready: { started_seconds: 0.01 } };
  const files = { 'config.yaml': HOST, ...profileFile('a', good), ...profileFile('b', good) };
  const home = makeHome(t, files);
  const running = await supervise(t, home);
  const { supervisor } = running;
  await untilState(running, 'a', 'ready');
  await untilState(running, 'b', 'ready');
  const nothing = { added: [], removed: [], changed: [], moves: [] };
  const putBack = () => {
    for (const [name, text] of Object.entries(files)) writeHomeFile(home, name, text);
  };
  const bad = 'agent: {driver: "echo';
  writeHomeFile(home, 'profiles/a/config.yaml', bad);
  t.match(supervisor.reload('test').problems, /profiles\/a/);
  putBack();
  t.strictSame(supervisor.reload('test'), nothing, 'by a reload of all');
  t.equal(supervisor.refusalOf('a'), undefined);

  const reloadA = () => supervisor.verb('a', 'reload', { now: false, by: 'test' });
  writeHomeFile(home, 'profiles/a/config.yaml', bad);
  t.throws(reloadA, { code: 'config-invalid' }, 'a reload of one is refused like one of all');
  t.match(supervisor.refusalOf('a'), /profiles\/a/);
  putBack();
  t.equal(reloadA().phase, 'done', 'by a reload of one');
  t.equal(supervisor.refusalOf('a'), undefined);

  writeHomeFile(home, 'config.yaml', 'defaults: {platforms: {local: {enabled: maybe}}}');
  t.match(supervisor.reload('test').problems, /maybe/);
  t.throws(reloadA, { code: 'config-invalid' });
  putBack();
  t.strictSame(supervisor.reload('test'), nothing, 'after the file of the host');

  writeHomeFile(home, 'profiles/b/config.yaml', bad);
  t.match(supervisor.reload('test').problems, /profiles\/b/);
  rmSync(`${home}/profiles/b`, { recursive: true });
  t.strictSame(supervisor.reload('test'), { ...nothing, removed: ['b'] }, 'one that is gone');
});

t.test('a reload adds, removes and leaves the rest untouched', async (t) => {
  const good = { ...program('never-ready'), ready: { started_seconds: 0.01 } };
  const home = makeHome(t, { ...profileFile('a', good), ...profileFile('b', good) });
  const running = await supervise(t, home);
  await untilState(running, 'a', 'ready');
  await untilState(running, 'b', 'ready');
  const pid = running.profile('a').view().run?.pid;
  rmSync(`${home}/profiles/b`, { recursive: true });
  for (const [name, text] of Object.entries(profileFile('c', good)))
    writeHomeFile(home, name, text);
  const outcome = running.supervisor.reload('test');
  t.strictSame(outcome, { added: ['c'], removed: ['b'], changed: [], moves: [] });
  await untilState(running, 'c', 'ready');
  await until('b is forgotten', () => running.supervisor.profiles.length === 2);
  t.equal(running.profile('a').view().run?.pid, pid);
});

t.test('with --once nothing is started again and the worst exit decides', async (t) => {
  const home = makeHome(t, {
    ...profileFile('fine', program('exits-with', '0')),
    ...profileFile('poor', program('exits-with', '1')),
  });
  const running = await supervise(t, home, { once: true });
  t.equal(await running.supervisor.finished, 1);
  t.equal(running.count('poor', 'spawned'), 1);
});

t.test('an essential profile that is parked takes the supervisor with it', async (t) => {
  const home = makeHome(t, {
    ...profileFile('vital', { essential: true, ...program('exits-78') }),
    ...profileFile('other', { ...program('never-ready') }),
  });
  const running = await supervise(t, home);
  t.equal(await running.supervisor.finished, 78);
});

t.test('a shutdown ends everything and changes no desire', async (t) => {
  const home = makeHome(t, {
    ...profileFile('one', program('never-ready')),
    ...profileFile('two', { ...FAST, ...program('exits-with', '1') }),
  });
  const running = await supervise(t, home);
  await until(
    'both have run',
    () => running.count('one', 'spawned') + running.count('two', 'died') > 1,
  );
  running.supervisor.shutDown('SIGTERM');
  t.equal(await running.supervisor.finished, 0);
  for (const name of ['one', 'two']) {
    t.equal(running.profile(name).state, 'stopped');
    t.equal(running.profile(name).view().desired, 'running');
  }
});

t.test('a profile made by hand while the supervisor runs is found when it is named', async (t) => {
  const good = { ...program('never-ready'), ready: { started_seconds: 0.01 } };
  const home = makeHome(t, profileFile('one', good));
  const running = await supervise(t, home);
  for (const [name, text] of Object.entries(profileFile('late', good))) {
    writeHomeFile(home, name, text);
  }
  running.supervisor.verb('late', 'start', { now: false, by: 'test' });
  await untilState(running, 'late', 'ready');
  t.equal(running.count('late', 'spawned'), 1);
});

t.test('a program that prints its secret shows it nowhere', async (t) => {
  const home = makeHome(t, {
    ...profileFile('leaky', {
      ...FAST,
      command: ['/bin/sh', '-c', 'echo "the token is $TOKEN" >&2; exit 78'],
      env: { TOKEN: '${TOKEN}' },
    }),
    'profiles/leaky/.env': 'TOKEN=canary-secret-1234\n',
  });
  const running = await supervise(t, home);
  await untilState(running, 'leaky', 'parked');
  t.equal(running.profile('leaky').view().parked?.detail, 'the token is [secret]');
  t.notMatch(JSON.stringify(running.events), /canary-secret/);
});

t.test('an unlucky line costs a pattern no more time than any other line', async (t) => {
  const home = makeHome(t, {
    ...profileFile('unlucky', {
      command: ['/bin/sh', '-c', `echo ${'a'.repeat(60)}!; echo aaa; exec sleep 1000`],
      ready: { log: '^(a+)+$' },
    }),
  });
  await untilState(await supervise(t, home), 'unlucky', 'ready');
  t.pass('the loop was not stopped by it');
});
