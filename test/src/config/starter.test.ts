import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import {
  addProfile,
  checkConfig,
  loadConfig,
  STARTER_DRIVERS,
  starterFiles,
  writeStarterHome,
} from '../../../src/config/index.js';
import { claimedPorts, firstFreePort, isPortFree } from '../../../src/config/ports.js';
import { homeWith, profileOf, putFile } from '../../support/config-home.js';

for (const driver of STARTER_DRIVERS) {
  t.test(`a starter home for ${driver} loads without a problem`, async (t) => {
    const home = join(homeWith(t, {}), 'new', 'home');
    writeStarterHome(home, { profile: 'coder', driver, port: 9999 });
    t.strictSame(checkConfig(home, {}), []);
    t.match(profileOf(home, 'coder'), {
      kind: 'good',
      config: {
        agent: { driver },
        platforms: { apiServer: { host: '127.0.0.1', port: 9999 }, local: true },
      },
    });
  });
}

t.test('left to itself it is the profile default with an echo agent on port 8642', async (t) => {
  const home = join(homeWith(t, {}), 'home');
  const written = writeStarterHome(home);
  t.strictSame(written, [
    join(home, 'config.yaml'),
    join(home, 'profiles/default/config.yaml'),
    join(home, 'profiles/default/.env'),
  ]);
  t.match(profileOf(home, 'default'), {
    config: { agent: { driver: 'echo' }, platforms: { apiServer: { port: 8642 } } },
  });
});

t.test('the comments of the host file are true: uncommented, they are the defaults', async (t) => {
  const [host] = starterFiles();
  const text = (host?.text ?? '').replace(/^# (?=(?:supervisor|defaults|\s))/gm, '');
  t.match(text, /^supervisor:$/m);
  const home = homeWith(t, { 'config.yaml': text, '.env': 'CONTROL_TOKEN=x\n' });
  const { control, ...rest } = loadConfig(home, {}).host;
  const { control: _, ...defaults } = loadConfig(homeWith(t, {}), {}).host;
  t.strictSame(rest, defaults);
  t.strictSame(control.listen, { host: '127.0.0.1', port: 8640 });
});

t.test('nothing is ever written over', async (t) => {
  const home = homeWith(t, { 'profiles/default/config.yaml': '# mine\n' });
  const written = writeStarterHome(home);
  t.notOk(written.includes(join(home, 'profiles/default/config.yaml')));
  t.equal(readFileSync(join(home, 'profiles/default/config.yaml'), 'utf8'), '# mine\n');
  writeFileSync(join(home, 'config.yaml'), '# mine too\n');
  t.strictSame(writeStarterHome(home), []);
  t.equal(readFileSync(join(home, 'config.yaml'), 'utf8'), '# mine too\n');
});

t.test('what it writes is for its owner alone', async (t) => {
  const home = join(homeWith(t, {}), 'home');
  for (const file of writeStarterHome(home)) t.equal(statSync(file).mode & 0o777, 0o600, file);
  t.equal(statSync(home).mode & 0o777, 0o700);
});

t.test('a bad name is refused before anything is written', async (t) => {
  const home = join(homeWith(t, {}), 'home');
  for (const profile of ['../x', 'UPPER', '', 'a/b', '.', 'x'.repeat(65)]) {
    t.throws(() => writeStarterHome(home, { profile }), { code: 'bad-profile-name' }, profile);
  }
  t.equal(statSync(home, { throwIfNoEntry: false }), undefined);
});

t.test('a home that cannot be made is unusable, and it says why', async (t) => {
  const home = homeWith(t, { file: '' });
  t.throws(() => writeStarterHome(join(home, 'file', 'home')), { code: 'home-unusable' });
});

t.test('an added profile gets the first port that is free', async (t) => {
  const home = homeWith(t, {});
  writeStarterHome(home);
  putFile(home, 'config.yaml', 'supervisor: {control: {listen: "127.0.0.1:8644", token: t}}\n');
  for (const profile of ['coder', 'bot']) await addProfile(home, { profile }, {});
  t.strictSame(checkConfig(home, {}), [], 'no two of them have one port');
  for (const name of ['coder', 'bot']) {
    const profile = profileOf(home, name);
    const port = profile.kind === 'good' ? profile.config.platforms.apiServer?.port : undefined;
    // others on this machine may listen on the nearest ones
    t.ok(port !== undefined && port > 8642, `${name}: ${port}`);
  }
  t.strictSame(
    await addProfile(home, { profile: 'bot' }, {}),
    [],
    'and is left alone when it is there',
  );
});

t.test('a new profile skips ports in use, and those that a bad profile claims', async (t) => {
  const taken = await firstFreePort(new Map());
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  t.not(await firstFreePort(new Map()), taken, 'somebody listens there');
  t.notOk(await isPortFree(taken));
  const home = homeWith(t, {
    'profiles/bad/config.yaml': 'nonsense: 1\nplatforms: {api_server: {port: 8650}}\n',
    'profiles/broken/config.yaml': 'platforms:\n  api_server:\n    port: 8651\n  [',
  });
  const claims = claimedPorts(loadConfig(home, {}));
  t.equal(claims.get(8650), 'profile bad');
  t.equal(claims.get(8651), 'profile broken');
  await t.rejects(addProfile(home, { profile: 'x', port: 8650 }, {}), {
    code: 'bad-argument',
    message: /8650, which profile bad has/,
  });
});
