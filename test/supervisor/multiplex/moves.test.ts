import { createServer, type Server } from 'node:net';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import {
  deathsOf,
  makeHome,
  profileFile,
  type Running,
  supervise,
  untilState,
  writeHomeFile,
} from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

const PROFILES = { ...profileFile('default', {}), ...profileFile('coder', {}) };
const BY_HAND = { now: false, by: 'cli' } as const;

function multiplexing(isOn: boolean, allowed?: readonly string[]) {
  const list = allowed === undefined ? {} : { multiplex_profile_allowlist: allowed };
  return JSON.stringify({ gateway: { multiplex_profiles: isOn, ...list } });
}

const generationOf = (running: Running, name: string) => running.profile(name).view().generation;
const movesOf = ({ events }: Running) =>
  events.flatMap(({ event }) =>
    event.code === 'moved' || event.code === 'move-failed'
      ? [`${event.code} ${event.profile} ${event.to}`]
      : [],
  );

async function untilSettled(running: Running, states: Readonly<Record<string, string>>) {
  const holds = () =>
    Object.entries(states).every(([name, state]) => running.profile(name).state === state);
  await until(`they are ${JSON.stringify(states)}`, holds);
}

t.test('start and restart by hand take up a newly allowed profile, and nobody else', async (t) => {
  const home = makeHome(t, {
    ...PROFILES,
    ...profileFile('writer', {}),
    ...profileFile('other', {}),
    'config.yaml': multiplexing(true, []),
  });
  const running = await supervise(t, home);
  const own = { default: 'ready', coder: 'ready', writer: 'ready', other: 'ready' };
  await untilSettled(running, own);
  running.supervisor.verb('writer', 'stop', BY_HAND);
  await untilState(running, 'writer', 'stopped');

  writeHomeFile(home, 'config.yaml', multiplexing(true));
  running.supervisor.verb('writer', 'start', BY_HAND);
  running.supervisor.verb('coder', 'restart', BY_HAND);
  await untilSettled(running, { ...own, coder: 'served', writer: 'served' });
  t.equal(generationOf(running, 'default'), 1, 'the server was not restarted for that');
  t.equal(generationOf(running, 'other'), 1, 'whom nobody named is where it was');
  t.equal(generationOf(running, 'coder'), 2, 'one restart was enough');

  writeHomeFile(home, 'config.yaml', multiplexing(true, ['coder']));
  running.supervisor.reload('cli');
  await untilSettled(running, { ...own, coder: 'served', writer: 'ready' });
});

t.test('a reload moves whom the one before refused, in one restart each', async (t) => {
  const api = { platforms: { api_server: { enabled: true, port: 0 } } };
  const home = makeHome(t, {
    ...profileFile('default', {}),
    ...profileFile('coder', api),
    ...profileFile('writer', api),
    'config.yaml': multiplexing(false),
  });
  const running = await supervise(t, home);
  const own = { default: 'ready', coder: 'ready', writer: 'ready' };
  await untilSettled(running, own);
  const disableApiOf = (name: string) => {
    for (const [file, text] of Object.entries(profileFile(name, {}))) {
      writeHomeFile(home, file, text);
    }
  };

  writeHomeFile(home, 'config.yaml', multiplexing(true));
  t.match(running.supervisor.reload('cli').problems, /binds the only port/);
  disableApiOf('coder');
  running.supervisor.reload('cli');
  await untilSettled(running, { ...own, coder: 'served' });
  t.equal(generationOf(running, 'coder'), 2, 'one restart was enough');
  t.equal(generationOf(running, 'writer'), 1, 'who is still refused goes on as it is');
  t.match(running.supervisor.refusalOf('writer'), /binds the only port/, 'and says why');

  disableApiOf('writer');
  running.supervisor.verb('writer', 'reload', BY_HAND);
  await untilSettled(running, { ...own, coder: 'served', writer: 'served' });
  t.equal(generationOf(running, 'writer'), 2, 'a reload of one does it too');
  t.equal(generationOf(running, 'default'), 1);
});

t.test('who waits for its server to be ready runs where it is and says so', async (t) => {
  const home = makeHome(t, { ...PROFILES, 'config.yaml': multiplexing(false) });
  const running = await supervise(t, home);
  await untilSettled(running, { default: 'ready', coder: 'ready' });
  running.supervisor.verb('default', 'stop', BY_HAND);
  await untilState(running, 'default', 'stopped');
  writeHomeFile(home, 'config.yaml', multiplexing(true));
  running.supervisor.reload('cli');
  t.equal(running.profile('coder').state, 'ready');
  t.match(running.supervisor.multiplex.moveOf('coder')?.detail, /until that one is ready/);
  running.supervisor.verb('default', 'start', BY_HAND);
  await untilSettled(running, { default: 'ready', coder: 'served' });
  t.equal(running.supervisor.multiplex.moveOf('coder'), undefined);
});

/** A port that somebody else has, until it is closed. */
async function occupied(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, server };
}

t.test('one that does not come up in its own process is served again', async (t) => {
  const { port, server } = await occupied();
  t.teardown(() => server.close());
  const home = makeHome(t, {
    ...PROFILES,
    ...profileFile('writer', {}),
    'config.yaml': multiplexing(true),
  });
  const running = await supervise(t, home);
  await untilSettled(running, { default: 'ready', coder: 'served', writer: 'served' });

  const api = { platforms: { api_server: { enabled: true, port } } };
  for (const [name, text] of Object.entries(profileFile('coder', api))) {
    writeHomeFile(home, name, text);
  }
  writeHomeFile(home, 'config.yaml', multiplexing(false));
  running.supervisor.reload('cli');
  await until('writer has moved too', () => movesOf(running).length === 2);
  await untilSettled(running, { default: 'ready', coder: 'served', writer: 'ready' });
  t.strictSame(movesOf(running), ['move-failed coder own', 'moved writer own'], 'one at a time');
  t.match(running.supervisor.multiplex.moveOf('coder')?.detail, String(port), 'and it says why');
  t.equal(generationOf(running, 'default'), 1);

  const failed = running.supervisor.multiplex.moveOf('coder');
  t.match(failed, { to: 'own', phase: 'failed' });
  server.close();
  running.supervisor.verb('writer', 'restart', BY_HAND);
  await until('writer has a new process', () => running.count('writer', 'ready') === 3);
  await untilSettled(running, { default: 'ready', coder: 'served', writer: 'ready' });
  t.same(running.supervisor.multiplex.moveOf('coder'), failed, 'a verb on another forgets nothing');
  t.equal(movesOf(running).length, 2, 'and tries nothing again');

  running.supervisor.reload('cli');
  await untilSettled(running, { coder: 'ready' });
  t.equal(movesOf(running).at(-1), 'moved coder own', 'the next reload tries again');
  t.equal(running.supervisor.multiplex.moveOf('coder'), undefined);
});

t.test('one that cannot be served runs in its own process again', async (t) => {
  const home = makeHome(t, {
    ...PROFILES,
    ...profileFile('writer', {}),
    'config.yaml': multiplexing(false),
  });
  const worker = packageFile('dist', 'test', 'fixtures', 'refuses-guests.js');
  const running = await supervise(t, home, { worker });
  const own = { default: 'ready', coder: 'ready', writer: 'ready' };
  await untilSettled(running, own);
  writeHomeFile(home, 'config.yaml', multiplexing(true));
  running.supervisor.reload('cli');
  await until('both were tried', () => movesOf(running).length === 2);
  await untilSettled(running, own);
  t.strictSame(movesOf(running), ['move-failed coder served', 'move-failed writer served']);
  t.match(running.supervisor.multiplex.moveOf('coder')?.detail, /no room here/);
  const codes = running.events.flatMap(({ event }) =>
    event.code === 'move-failed' || (event.code === 'ready' && event.generation > 1)
      ? [`${event.code} ${event.profile}`]
      : [],
  );
  t.strictSame(
    codes,
    ['move-failed coder', 'ready coder', 'move-failed writer', 'ready writer'],
    'nobody else is touched before it is back',
  );
  t.equal(generationOf(running, 'default'), 1);
});

t.test('who is served dies of what its server dies of, and comes back with it', async (t) => {
  const home = makeHome(t, {
    ...profileFile('default', { restart: { backoff_base_seconds: 0.05 } }),
    ...profileFile('coder', { restart: { max_restarts: 1 } }),
    'config.yaml': multiplexing(true),
  });
  const running = await supervise(t, home);
  for (const generation of [1, 2]) {
    const isBack = () =>
      ['default', 'coder'].every((name) => running.count(name, 'ready') === generation);
    await until(`generation ${generation} serves`, isBack);
    await untilSettled(running, { default: 'ready', coder: 'served' });
    process.kill(running.profile('default').view().run?.pid ?? 0, 'SIGKILL');
  }
  await until('it is there a third time', () => running.count('coder', 'ready') === 3);
  const [death] = deathsOf(running, 'coder');
  t.match(death, { cause: 'lost', servedBy: 'default', outcome: { signal: 'SIGKILL' } });
  t.match(death?.detail, /^the gateway of default, which served it, ended \(SIGKILL\)/);
  t.equal(running.profile('coder').view().deaths.counters.lost, 2, 'counted by its cause');
  t.equal(running.count('coder', 'parked'), 0, 'and not held against it');
});
