import t from 'tap';
import type { LoadedProfile } from '../../../src/config/index.js';
import { homeWith, profileOf } from '../../support/config-home.js';

interface Teardown {
  teardown(handler: () => void): unknown;
}

function load(t: Teardown, host: string, profile: string, env = ''): LoadedProfile {
  return profileOf(
    homeWith(t, {
      'config.yaml': host,
      'profiles/one/config.yaml': profile,
      'profiles/one/.env': env,
    }),
  );
}

t.test('defaults hold where the profile says nothing, and yield where it does', async (t) => {
  const host = 'defaults: {drain_seconds: 7, essential: true, env: {A: host, B: host}}\n';
  const loaded = load(t, host, 'drain_seconds: 8\nenv: {B: profile}\n');
  t.match(loaded, {
    config: { drainMs: 8000, essential: true, env: { A: 'host', B: 'profile' } },
  });
});

t.test('a list is replaced, not mixed', async (t) => {
  const loaded = load(t, 'defaults: {command: [a, b, c]}\n', 'command: [d]\n');
  t.match(loaded, { config: { command: { argv: ['d'] } } });
});

t.test('settings of the default agent complete those of the profile', async (t) => {
  const host = 'defaults: {agent: {driver: openai, base_url: "http://127.0.0.1:1/v1", model: m}}\n';
  t.match(load(t, host, ''), { config: { agent: { driver: 'openai', model: 'm' } } });
  t.match(load(t, host, 'agent: {model: n}\n'), { config: { agent: { model: 'n' } } });
});

t.test('settings of the default agent do not follow a profile to another driver', async (t) => {
  const host = 'defaults: {agent: {driver: openai, model: m, api_key: k}}\n';
  t.match(load(t, host, 'agent: {driver: echo}\n'), {
    kind: 'good',
    config: { agent: { driver: 'echo' } },
  });
});

t.test('one kind of readiness replaces another', async (t) => {
  const host = 'defaults: {ready: {log: started}}\n';
  t.match(load(t, host, 'command: [x]\nready: {started_seconds: 2}\n'), {
    config: { command: { ready: { kind: 'started', afterMs: 2000 } } },
  });
  t.match(load(t, host, 'command: [x]\n'), {
    config: { command: { ready: { kind: 'log', pattern: 'started' } } },
  });
});

t.test(
  'defaults for the built-in gateway do not concern a program, nor the other way round',
  async (t) => {
    const builtIn = 'defaults: {agent: {driver: echo}, platforms: {api_server: {enabled: true}}}\n';
    t.match(load(t, builtIn, 'command: [x]\n'), {
      kind: 'good',
      config: { command: { argv: ['x'] } },
    });
    const program = 'defaults: {command: [x], ready: fd}\n';
    t.match(load(t, program, 'agent: {driver: echo}\n'), {
      kind: 'good',
      config: { command: undefined },
    });
  },
);

t.test(
  'the supervisor’s restart rules lie under the defaults, and those under the profile',
  async (t) => {
    const host = `
supervisor:
  restart: {backoff_base_seconds: 2, backoff_cap_seconds: 20, jitter: 0}
  storm: {deaths: 3, window_seconds: 4}
defaults:
  restart: {backoff_cap_seconds: 30}
`;
    t.match(load(t, host, 'restart: {jitter: 0.5}\n'), {
      config: {
        restart: {
          backoffBaseMs: 2000,
          backoffCapMs: 30_000,
          jitterRatio: 0.5,
          stormDeaths: 3,
          stormWindowMs: 4000,
        },
      },
    });
  },
);

t.test('a problem names the file and the key where the value was written', async (t) => {
  const host =
    'supervisor:\n  restart: {backoff_base_seconds: 9}\ndefaults:\n  env: {A: "${NOPE}"}\n';
  const loaded = load(t, host, 'restart: {backoff_cap_seconds: 8}\ndrain_seconds: no\n');
  t.equal(loaded.kind, 'bad');
  const problems = loaded.kind === 'bad' ? loaded.problems : [];
  t.strictSame(
    problems.map(({ file, line, key }) => [file.split('/').slice(-2).join('/'), line, key]),
    [
      [problems[0]?.file.split('/').slice(-2).join('/'), 4, 'defaults.env.A'],
      ['one/config.yaml', 1, 'restart.backoff_cap_seconds'],
      ['one/config.yaml', 2, 'drain_seconds'],
    ],
  );
  t.notMatch(problems[0]?.file, /profiles/);
});

t.test('a secret in the defaults is each profile’s own', async (t) => {
  const host = 'defaults: {env: {TOKEN: "${TOKEN}"}}\n';
  const loaded = load(t, host, '', 'TOKEN=of-this-profile\n');
  t.equal(
    loaded.kind === 'good' && loaded.config.secrets.map((secret) => secret.reveal()).join(),
    'of-this-profile',
  );
});

t.test('an unfinished agent in the defaults is left for profiles to complete', async (t) => {
  const host = 'defaults: {agent: {driver: openai, base_url: "${URL}"}}\n';
  t.match(load(t, host, 'agent: {model: m}\n', 'URL=http://127.0.0.1:1/v1\n'), { kind: 'good' });
});

t.test('a bad value in the defaults is the host’s fault', async (t) => {
  t.throws(() => load(t, 'defaults: {drain_second: 1}\n', ''), {
    code: 'config-invalid',
    message: /config\.yaml:1: defaults\.drain_second:.*did you mean drain_seconds/s,
  });
});
