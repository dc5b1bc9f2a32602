import { join } from 'node:path';
import t from 'tap';
import { buildAssignment, childEnvironment, namesToUnset } from '../../../src/config/index.js';
import { Secret } from '../../../src/core/secret.js';
import { DEFAULT_WATCH_POLICY } from '../../../src/core/watch.js';
import { loadOne } from '../../support/config-home.js';

const FACTS = {
  home: '/srv/home',
  generation: 7,
  localSocket: '/run/x.sock',
  restartLoopGuard: { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 },
  parentEnv: { PATH: '/bin', PORT: '1', GATEWARDEN_HOME: '/elsewhere' },
};

t.test(
  'an assignment holds all that a gateway needs, with its secrets in plain text',
  async (t) => {
    const config = loadOne(
      t,
      `
agent: {driver: openai, base_url: "http://127.0.0.1:1/v1", model: m, api_key: "\${KEY}"}
platforms: {api_server: {enabled: true, port: 1, key: "\${API}"}}
env: {TOKEN: "\${TOKEN}", LEVEL: info}
drain_seconds: 2
`,
      'KEY=model-key\nAPI=server-key\nTOKEN=tool-token\n',
    );
    const assignment = buildAssignment(config, FACTS);
    t.strictSame(assignment, {
      profile: 'one',
      generation: 7,
      home: '/srv/home',
      account: undefined,
      stateDir: join('/srv/home', 'profiles/one/state'),
      localSocket: '/run/x.sock',
      agent: {
        driver: 'openai',
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKey: 'model-key',
        model: 'm',
        systemPrompt: undefined,
        timeoutMs: 120_000,
        maxRetries: 3,
        maxTokens: undefined,
        temperature: undefined,
        historyMessages: 40,
        tools: [],
      },
      apiServer: { host: '127.0.0.1', port: 1, key: 'server-key', model: 'one', maxConcurrent: 10 },
      drainMs: 2000,
      watchdog: DEFAULT_WATCH_POLICY,
      budgets: {
        jobsDrainMs: 30_000,
        drainLimitMs: 40_000,
        afterTurnMs: 1_800_000,
        interruptGraceMs: 2000,
        guardAfterDrainMs: 5000,
        guardPatienceMs: 20_500,
        dumpMs: 5000,
      },
      inactivity: { limitMs: 1_800_000, warningMs: 900_000, noteMs: 180_000 },
      resume: {
        freshnessMs: 3_600_000,
        loopGuard: { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 },
      },
      lifecycleNotices: ['api-server', 'local'],
      env: {
        PATH: '/bin',
        GATEWARDEN_HOME: '/srv/home',
        GATEWARDEN_PROFILE: 'one',
        TOKEN: 'tool-token',
        LEVEL: 'info',
      },
      secrets: assignment.secrets,
      toolMemoryBytes: undefined,
      containment: undefined,
      ownership: undefined,
    });
    t.strictSame([...assignment.secrets].sort(), ['model-key', 'server-key', 'tool-token']);
  },
);

t.test('an assignment survives the way to a worker as JSON', async (t) => {
  const assignment = buildAssignment(loadOne(t, ''), FACTS);
  t.match(JSON.parse(JSON.stringify(assignment)), { profile: 'one', agent: { driver: 'echo' } });
});

t.test('no socket is assigned to a profile that has the local platform off', async (t) => {
  const config = loadOne(t, 'platforms: {local: {enabled: false}}\n');
  t.equal(buildAssignment(config, FACTS).localSocket, undefined);
});

t.test('a program of its own is never assigned to a gateway', async (t) => {
  const config = loadOne(t, 'command: [x]\n');
  t.throws(() => buildAssignment(config, FACTS), { code: 'runs-as-command' });
});

t.test('a child inherits what it needs to run, and no setting of the parent', async (t) => {
  const parent = {
    PATH: '/bin',
    HOME: '/root',
    LANG: 'C',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: '/tmp',
    XDG_RUNTIME_DIR: '/run/user/1',
    https_proxy: 'http://proxy:1',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    PORT: '8642',
    API_SERVER_PORT: '1',
    TELEGRAM_BOT_TOKEN: 'of-a-sibling',
    NODE_OPTIONS: '--inspect',
    NOTIFY_SOCKET: '/run/notify',
    NODE_CHANNEL_FD: '3',
    GATEWARDEN_SCOPE: 'x',
    UNSET: undefined,
  };
  const inherited = {
    PATH: '/bin',
    HOME: '/root',
    LANG: 'C',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: '/tmp',
    XDG_RUNTIME_DIR: '/run/user/1',
    https_proxy: 'http://proxy:1',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  };
  t.strictSame(childEnvironment(parent, {}), inherited);
  t.strictSame(
    [...namesToUnset(parent), ...Object.keys(inherited)].sort(),
    Object.keys(parent).sort(),
    'every name is either inherited or to be unset',
  );
});

t.test('the profile’s own environment comes last, with its secrets in plain text', async (t) => {
  t.strictSame(
    childEnvironment({ PATH: '/bin', TZ: 'UTC' }, { PATH: '/opt', TOKEN: new Secret('abc') }),
    { PATH: '/opt', TZ: 'UTC', TOKEN: 'abc' },
  );
});
