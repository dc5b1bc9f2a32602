import t from 'tap';
import { loadConfig, placeGateways, renderProblems } from '../../../src/config/index.js';
import { makeHome } from '../../support/supervised-home.js';

const ON = 'gateway: {multiplex_profiles: true}\n';

function load(
  t: Parameters<typeof makeHome>[0],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const profiles = { default: '{}', coder: '{}', writer: '{}' };
  const base = Object.entries(profiles).map(
    ([name, text]) => [`profiles/${name}/config.yaml`, text] as const,
  );
  return loadConfig(makeHome(t, { ...Object.fromEntries(base), ...files }), env);
}

const placesIn = (config: ReturnType<typeof load>) => Object.fromEntries(placeGateways(config));

t.test('an allow-list that is left out names all, an empty one nobody', async (t) => {
  t.strictSame(placesIn(load(t, {})), { coder: 'own', default: 'own', writer: 'own' });
  t.strictSame(placesIn(load(t, { 'config.yaml': ON })), {
    coder: 'served',
    default: 'own',
    writer: 'served',
  });
  const listed = (list: string) => ({
    'config.yaml': `gateway: {multiplex_profiles: true, multiplex_profile_allowlist: ${list}}`,
  });
  t.equal(placesIn(load(t, listed('[coder]')))['writer'], 'own');
  t.equal(placesIn(load(t, listed('[coder]')))['coder'], 'served');
  t.equal(placesIn(load(t, listed('[]')))['coder'], 'own');
  t.match(load(t, listed('[codr]')).notices, [/names codr, and there is no such profile/]);
});

t.test('the environment beats the file, and only by a clear yes or no', async (t) => {
  for (const [word, place] of [
    ['1', 'served'],
    [' TRUE ', 'served'],
    ['on', 'served'],
    ['no', 'own'],
    ['', 'own'],
    ['perhaps', 'own'],
  ] as const) {
    const config = load(t, {}, { GATEWAY_MULTIPLEX_PROFILES: word });
    t.equal(placesIn(config)['coder'], place, word);
  }
  const off = load(t, { 'config.yaml': ON }, { GATEWAY_MULTIPLEX_PROFILES: 'off' });
  t.equal(placesIn(off)['coder'], 'own');
});

t.test(
  'what binds a port is refused with all that is in the way, and nobody else is',
  async (t) => {
    const config = load(t, {
      'config.yaml': ON,
      'profiles/coder/config.yaml': 'platforms: {api_server: {enabled: true, port: 0}}',
    });
    const coder = config.profiles.get('coder');
    t.equal(coder?.kind, 'bad');
    const told = coder?.kind === 'bad' ? renderProblems(coder.problems) : '';
    t.match(told, /platforms\.api_server\.enabled:\n.*expected false/);
    t.match(told, /\/p\/coder\/.*multiplex_profile_allowlist/);
    t.strictSame(placesIn(config), { default: 'own', writer: 'served' });
  },
);

t.test('another program, and one that is not to run, is never served', async (t) => {
  const config = load(t, {
    'config.yaml': ON,
    'profiles/coder/config.yaml': 'command: [/bin/true]',
    'profiles/writer/config.yaml': 'enabled: false',
  });
  t.strictSame(placesIn(config), { coder: 'own', default: 'own', writer: 'own' });
});

t.test('without a gateway that could serve, all keep their own, and it is said', async (t) => {
  for (const text of ['command: [/bin/true]', 'enabled: false', 'nonsense: 1']) {
    const config = load(t, { 'config.yaml': ON, 'profiles/default/config.yaml': text });
    t.equal(placesIn(config)['coder'], 'own', text);
    t.match(config.notices, [/multiplex_profiles has no effect/]);
  }
});

t.test('a key counts although the API server of the profile is off', async (t) => {
  const config = load(t, {
    'profiles/coder/.env': 'K=coder-key-0123456789\n',
    'profiles/coder/config.yaml':
      'platforms: {api_server: {enabled: false, key: "${K}", max_concurrent: 3}}',
  });
  const coder = config.profiles.get('coder');
  const platforms = coder?.kind === 'good' ? coder.config.platforms : undefined;
  t.equal(platforms?.apiServer, undefined);
  t.equal(platforms?.servedApi?.key?.reveal(), 'coder-key-0123456789');
  t.match(platforms?.servedApi, { model: 'coder', maxConcurrent: 3 });
});
