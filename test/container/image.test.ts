import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import type { GeneratedFile } from '../../units/generated-file.js';
import { parseS6Slot } from '../../units/s6/parse.js';
import { type Engine, startEngine, withEngine } from '../support/container.js';
import { type Box, startBox } from '../support/gatewarden-container.js';
import { profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';

/** Far more than any stop here takes: a container that is killed ends with another code. */
const GRACE_SECONDS = 60;
const chat = (command: string) =>
  profileFile('chat', { agent: { driver: 'command', command: ['/bin/sh', '-c', command] } });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

async function ask(port: number, content: string): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content }] }),
  });
  return ((await response.json()) as Answer).choices[0]?.message.content;
}

/** Everything about one container that runs as it is meant to. */
async function checkHealthyLife(t: Test, engine: Engine, image: string): Promise<void> {
  const port = await freePort();
  const files = profileFile('bot', { platforms: { api_server: { enabled: true, port } } });
  const box = await startBox(t, engine, {
    image,
    files,
    configure: (container) => container.withNetworkMode('host').withQuickHealthCheck(),
  });
  const { supervisor } = await box.untilReady('bot');
  t.equal(supervisor.manager, 's6');
  t.match(await ask(port, 'hello there'), /hello there/, 'it answers through its API');
  await until('it is healthy', async () => (await box.state('Health.Status')) === 'healthy');
  const { stdout: owner } = await box.exec('stat', '-c', '%U', `/proc/${supervisor.pid}`);
  t.equal(owner.trim(), 'gatewarden', 'the supervisor is not root');
  await checkAsGenerated(t, box, supervisor.pid);
  await box.stop(GRACE_SECONDS);
  t.equal(await box.state('ExitCode'), String(EXIT.done));
}

/** The image's scripts come to the same process that a generated slot would be. */
async function checkAsGenerated(t: Test, box: Box, pid: number): Promise<void> {
  const print = ['gatewarden', 'units', 'print', 's6', '--run-as', 'gatewarden', '--json'];
  const { stdout } = await box.exec(...print);
  const { files } = JSON.parse(stdout) as { readonly files: readonly GeneratedFile[] };
  const inSlot = (path: string) => path.split('/gatewarden/').at(-1) ?? '';
  const slot = files.map((file) => ({ ...file, path: inSlot(file.path) }));
  const { accountName, env, workingDirectory } = parseS6Slot(slot);
  const as = ['s6-setuidgid', accountName ?? ''];
  const { stdout: cwd } = await box.exec(...as, 'readlink', `/proc/${pid}/cwd`);
  t.equal(cwd.trim(), workingDirectory, 'where it runs');
  const { stdout: environ } = await box.exec(...as, 'cat', `/proc/${pid}/environ`);
  const variables = environ.split('\0');
  // the image has a search path of its own
  const wanted = Object.entries(env).filter(([name]) => name !== 'PATH');
  t.not(wanted.length, 0);
  for (const [name, value] of wanted) t.ok(variables.includes(`${name}=${value}`), name);
}

t.test('the image on a real engine', withEngine(), async (t) => {
  const engine = await startEngine(t);
  const image = await engine.buildImage();

  await t.test('boots, becomes healthy, answers chat and stops with 0', (t) =>
    checkHealthyLife(t, engine, image),
  );

  await t.test('an empty volume becomes a starter home', async (t) => {
    const box = await startBox(t, engine, { image, files: {} });
    await box.untilReady('default');
    const { stdout } = await box.feed('hi', 'gatewarden', 'chat');
    t.match(stdout, /hi/);
  });

  await t.test('a stop lets a turn finish before it ends', async (t) => {
    const box = await startBox(t, engine, { image, files: chat('sleep 3; echo finished') });
    await box.untilReady('chat');
    const answer = box.feed('work', 'gatewarden', 'chat', 'chat');
    await box.untilStatus('the turn runs', ({ profiles }) => profiles[0]?.work.active === 1);
    await box.stop(GRACE_SECONDS);
    t.match((await answer).stdout, /finished/);
    t.equal(await box.state('ExitCode'), String(EXIT.done));
  });

  await t.test('a restart brings back what was desired, not what a stop left', async (t) => {
    const files = { ...profileFile('one', {}), ...profileFile('two', {}) };
    const box = await startBox(t, engine, { image, files });
    await box.untilReady('one', 'two');
    t.equal((await box.exec('gatewarden', 'stop', 'two')).code, 0);
    await box.restart(GRACE_SECONDS);
    const { profiles } = await box.untilReady('one');
    t.match(
      profiles.find(({ name }) => name === 'two'),
      { desired: 'stopped', state: 'stopped' },
    );
  });

  await t.test('a profile with 78 is parked loudly and the container stays', async (t) => {
    const files = {
      ...profileFile('good', {}),
      ...profileFile('bad', { command: ['/bin/sh', '-c', `exit ${EXIT.config}`] }),
    };
    const box = await startBox(t, engine, {
      image,
      files,
      configure: (container) => container.withQuickHealthCheck(),
    });
    await box.untilStatus('it is parked', ({ profiles }) =>
      profiles.some(({ name, state }) => name === 'bad' && state === 'parked'),
    );
    await box.untilReady('good');
    await until('it is unhealthy', async () => (await box.state('Health.Status')) === 'unhealthy');
    t.equal(await box.state('Running'), 'true');
    t.match(await box.logs(), /bad.*parked/);
  });

  await t.test(
    'a supervisor that is refused stays down, once, and the container stays',
    async (t) => {
      const box = await startBox(t, engine, {
        image,
        files: { 'config.yaml': 'no_such_key: 1\n' },
      });
      await until('it says so', async () =>
        /was refused \(78\) and stays down/.test(await box.logs()),
      );
      t.equal(await box.state('Running'), 'true');
      const slot = '/run/gatewarden/service/gatewarden';
      const { stdout } = await box.exec('s6-svstat', '-o', 'up,exitcode', slot);
      t.equal(stdout.trim(), `false ${EXIT.config}`);
      t.equal((await box.logs()).match(/no_such_key/g)?.length, 1, 'one refusal');
      await box.stop(GRACE_SECONDS);
      t.equal(await box.state('ExitCode'), String(EXIT.done));
    },
  );

  await t.test('the code of an essential profile is the container’s', async (t) => {
    const command = ['/bin/sh', '-c', `exit ${EXIT.config}`];
    const box = await startBox(t, engine, {
      image,
      files: profileFile('main', { essential: true, command }),
    });
    await until('it has ended', async () => (await box.state('Running')) === 'false');
    t.equal(await box.state('ExitCode'), String(EXIT.config));
  });
});
