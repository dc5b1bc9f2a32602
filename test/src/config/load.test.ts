import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkConfig, checkNotices, loadConfig } from '../../../src/config/index.js';
import { GatewardenError } from '../../../src/core/errors.js';
import { EXIT } from '../../../src/core/exit-codes.js';
import { DEFAULT_RESTART_POLICY } from '../../../src/core/judge.js';
import { Secret } from '../../../src/core/secret.js';
import { homeWith, loadOne, problemsOfOne, profileOf } from '../../support/config-home.js';

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewardenError) return error.code;
    throw error;
  }
  return undefined;
}

t.test('an empty home is valid and leaves everything to the defaults', async (t) => {
  const home = homeWith(t, {});
  const loaded = loadConfig(home, {});
  t.equal(loaded.profiles.size, 0);
  t.equal(loaded.home, home);
  t.strictSame(loaded.host.start, {
    deadlineMs: 60_000,
    maxLeaseMs: 300_000,
    maxTotalMs: 900_000,
    concurrency: 0,
    jitterMs: 250,
  });
  t.equal(loaded.host.stop.killAfterMs, 5000);
  t.equal(loaded.host.log.maxBytes, 10 * 1024 * 1024);
  t.equal(loaded.host.control.listen, undefined);
});

for (const [what, text] of [
  ['an empty file', ''],
  ['a comment alone', '# nothing\n'],
  ['a null document', 'null\n'],
  ['an empty document', '---\n'],
  ['an empty mapping', '{}'],
] as const) {
  t.test(`${what} is a valid profile with everything defaulted`, async (t) => {
    t.match(loadOne(t, text), {
      name: 'one',
      enabled: true,
      essential: false,
      command: undefined,
      agent: { driver: 'echo' },
      platforms: { apiServer: undefined, local: true },
      restart: DEFAULT_RESTART_POLICY,
      drainMs: 30_000,
      jobsDrainMs: 30_000,
      afterTurnMs: 1_800_000,
      interruptGraceMs: 2000,
    });
  });
}

t.test('a profile directory without a file is a valid profile', async (t) => {
  const home = homeWith(t, {});
  mkdirSync(join(home, 'profiles', 'one'), { recursive: true });
  t.equal(profileOf(home).kind, 'good');
});

t.test('profiles come sorted by name', async (t) => {
  const home = homeWith(t, { 'profiles/b/config.yaml': '', 'profiles/a/config.yaml': '' });
  t.strictSame([...loadConfig(home, {}).profiles.keys()], ['a', 'b']);
});

t.test('a home that does not exist is missing, and a file in its place is unusable', async (t) => {
  const home = homeWith(t, { file: '' });
  t.equal(
    codeOf(() => loadConfig(join(home, 'none'), {})),
    'home-missing',
  );
  t.equal(
    codeOf(() => loadConfig(join(home, 'file'), {})),
    'home-unusable',
  );
});

t.test('a list of profiles that cannot be read makes the home unusable', async (t) => {
  const home = homeWith(t, { profiles: 'a file' });
  t.equal(
    codeOf(() => loadConfig(home, {})),
    'home-unusable',
  );
});

t.test('a bad host file refuses everything, and tells every problem of it at once', async (t) => {
  const home = homeWith(t, {
    'config.yaml': 'supervisor:\n  start: {deadline_second: 5}\n  log: {files: many}\nextra: 1\n',
  });
  t.throws(() => loadConfig(home, {}), {
    code: 'config-invalid',
    exitCode: EXIT.config,
    message: /3 problems.*config\.yaml:2: supervisor\.start\.deadline_second:.*did you mean/s,
  });
});

t.test('a bad profile is a result and never stops the others', async (t) => {
  const home = homeWith(t, {
    'profiles/bad/config.yaml': 'drain_seconds: -1\n',
    'profiles/good/config.yaml': 'drain_seconds: 1\n',
  });
  const { profiles } = loadConfig(home, {});
  t.match(profiles.get('bad'), {
    kind: 'bad',
    problems: [{ line: 1, key: 'drain_seconds', got: '-1' }],
  });
  t.match(profiles.get('good'), { kind: 'good', config: { drainMs: 1000 } });
});

for (const name of ['UPPER', 'a b', '-x', 'ä', 'a.b']) {
  t.test(`a directory named ${JSON.stringify(name)} is skipped, and not in silence`, async (t) => {
    const home = homeWith(t, { [`profiles/${name}/x`]: '', 'profiles/one/config.yaml': '' });
    const { notices, profiles } = loadConfig(home, {});
    t.strictSame([...profiles.keys()], ['one']);
    t.equal(notices.length, 1);
    t.match(notices[0], 'which is no profile name');
    t.strictSame(checkNotices(home), notices);
    t.strictSame(checkConfig(home, {}), []);
  });
}

t.test('hidden directories and plain files among the profiles are left alone', async (t) => {
  const home = homeWith(t, { 'profiles/.git/config': '', 'profiles/README': 'text' });
  t.equal(loadConfig(home, {}).profiles.size, 0);
});

t.test('the result is frozen to its last field', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml':
      'command: [sleep, "1"]\nenv: {A: "${B}"}\nready: {started_seconds: 2}\n',
    'profiles/one/.env': 'B=secret-value\n',
    'profiles/two/config.yaml': 'nonsense: 1\n',
  });
  const loaded = loadConfig(home, {});
  const open: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Object.isFrozen(value)) open.push(path);
    const inner = value instanceof Map ? [...value] : Object.entries(value);
    for (const [key, one] of inner) visit(one, `${path}.${key}`);
  };
  visit(loaded, 'loaded');
  t.strictSame(open, []);
  const profiles = loaded.profiles as Map<string, never>;
  for (const change of [
    () => profiles.clear(),
    () => profiles.delete('one'),
    () => profiles.set('x', undefined as never),
  ]) {
    t.throws(change, TypeError);
  }
});

t.test('every setting of the host arrives in milliseconds and bytes', async (t) => {
  const home = homeWith(t, {
    'config.yaml': `
supervisor:
  start: {deadline_seconds: 1.5, max_lease_seconds: 2, max_total_seconds: 3, concurrency: 4, jitter_seconds: 0}
  stop: {kill_after_seconds: 0.25}
  log: {level: debug, max_size: 1.5KiB, files: 2, lines_per_second: 7}
  status_page: {enabled: false}
  control: {listen: "[::1]:8640", token: "\${T}"}
gateway: {multiplex_profiles: false, multiplex_profile_allowlist: [coder]}
`,
    '.env': 'T=control-token-1\n',
  });
  const { host } = loadConfig(home, {});
  t.match(host, {
    start: { deadlineMs: 1500, maxLeaseMs: 2000, maxTotalMs: 3000, concurrency: 4, jitterMs: 0 },
    stop: { killAfterMs: 250 },
    log: { level: 'debug', maxBytes: 1536, files: 2, linesPerSecond: 7 },
    statusPage: { enabled: false },
    control: { listen: { host: '::1', port: 8640 } },
    gateway: {
      multiplexProfiles: false,
      multiplexAllowlist: ['coder'],
      restartLoopGuard: { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 },
    },
  });
  t.equal(host.control.token?.reveal(), 'control-token-1');
});

t.test('every setting of a built-in profile arrives', async (t) => {
  const config = loadOne(
    t,
    `
enabled: false
essential: true
agent:
  driver: openai
  base_url: http://127.0.0.1:9/v1
  api_key: \${KEY}
  model: m
  system_prompt: be brief
  timeout_seconds: 1
  max_retries: 0
  max_tokens: 5
  temperature: 0.5
  history_messages: 6
  tools: [process, terminal]
platforms:
  api_server: {enabled: true, host: "::1", port: 0, key: abc, model: shown, max_concurrent: 3}
  local: {enabled: false}
limits: {memory: 512MiB, processes: 200, cpu: 0.5}
restart:
  backoff_base_seconds: 2
  backoff_cap_seconds: 4
  jitter: 0
  healthy_after_seconds: 5
  planned_max: 6
  planned_window_seconds: 7
  max_restarts: 8
  window_seconds: 9
  probe_every_seconds: 10
drain_seconds: 11
jobs_drain_seconds: 12
after_turn_seconds: 13
interrupt_grace_seconds: 14
env: {PLAIN: text, NUMBER: 1.0, FLAG: true, HEX: 0x1F, TOKEN: "pre-\${KEY}"}
`,
    'KEY=the-key-value\n',
  );
  t.match(config, {
    enabled: false,
    essential: true,
    agent: {
      driver: 'openai',
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'm',
      systemPrompt: 'be brief',
      timeoutMs: 1000,
      maxRetries: 0,
      maxTokens: 5,
      temperature: 0.5,
      historyMessages: 6,
      tools: ['process', 'terminal'],
    },
    platforms: {
      apiServer: { host: '::1', port: 0, model: 'shown', maxConcurrent: 3 },
      local: false,
    },
    limits: { memoryBytes: 536_870_912, processes: 200, cpus: 0.5 },
    restart: {
      backoffBaseMs: 2000,
      backoffCapMs: 4000,
      jitterRatio: 0,
      healthyAfterMs: 5000,
      plannedMax: 6,
      plannedWindowMs: 7000,
      maxRestarts: 8,
      maxRestartsWindowMs: 9000,
      probeEveryMs: 10_000,
    },
    drainMs: 11_000,
    jobsDrainMs: 12_000,
    afterTurnMs: 13_000,
    interruptGraceMs: 14_000,
    user: undefined,
    account: undefined,
    env: { PLAIN: 'text', NUMBER: '1.0', FLAG: 'true', HEX: '0x1F' },
  });
  const token = config.env['TOKEN'];
  t.ok(token instanceof Secret, 'a value with a secret in it stays wrapped');
  t.equal(token instanceof Secret && token.reveal(), 'pre-the-key-value');
  t.strictSame(config.secrets.map((secret) => secret.reveal()).sort(), ['abc', 'the-key-value']);
  t.notMatch(JSON.stringify(config), /the-key-value/);
});

t.test('a command profile has a program, and neither an agent nor platforms of ours', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'command: [python3, bot.py]\nready: fd\ncwd: app\n',
    'profiles/one/app/bot.py': '',
  });
  t.match(profileOf(home), {
    kind: 'good',
    config: {
      command: {
        argv: ['python3', 'bot.py'],
        cwd: join(home, 'profiles/one/app'),
        ready: { kind: 'fd' },
      },
      platforms: { apiServer: undefined, local: false },
    },
  });
});

for (const [text, ready] of [
  ['', { kind: 'started', afterMs: 1000 }],
  ['ready: notify', { kind: 'notify' }],
  [
    'ready: {http: "http://127.0.0.1:9/health"}',
    { kind: 'http', url: 'http://127.0.0.1:9/health' },
  ],
  ['ready: {log: "listening on \\\\d+"}', { kind: 'log', pattern: 'listening on \\d+' }],
  ['ready: {started_seconds: 0}', { kind: 'started', afterMs: 0 }],
] as const) {
  t.test(`readiness ${JSON.stringify(text)} is understood`, async (t) => {
    t.strictSame(loadOne(t, `command: [x]\n${text}\n`).command?.ready, ready);
  });
}

t.test('a command agent runs in the profile unless it says where', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'agent: {driver: command, command: [./answer.sh]}\n',
  });
  t.match(profileOf(home), {
    config: {
      agent: { driver: 'command', argv: ['./answer.sh'], cwd: join(home, 'profiles/one') },
    },
  });
});

t.test('all problems of a profile are told together, from the top to the end', async (t) => {
  const problems = problemsOfOne(
    t,
    'agent: {driver: ecko}\nplatforms:\n  api_server:\n    port: "80"\nrestart: {max_restart: 3}\nenv: {T: "${NOPE}"}\n',
  );
  t.strictSame(
    problems.map(({ line, key, hint }) => [line, key, hint?.split(' ')[0]]),
    [
      [1, 'agent.driver', undefined],
      [4, 'platforms.api_server.port', 'numbers'],
      [5, 'restart.max_restart', 'did'],
      [6, 'env.T', 'looked'],
    ],
  );
});

t.test('check tells the problems of the host and of all profiles, each once', async (t) => {
  const home = homeWith(t, {
    'config.yaml': 'defaults: {drain_seconds: soon}\n',
    'profiles/a/config.yaml': '',
    'profiles/b/config.yaml': 'nope: 1\n',
  });
  t.strictSame(
    checkConfig(home, {}).map(({ key }) => key),
    ['defaults.drain_seconds', 'nope'],
  );
});

t.test('what was read, and what was looked for, is known to whoever watches', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'command: [sh, bot.sh]\nenv_files: [more.env]\nenv: {A: "${A}"}\n',
    'profiles/one/more.env': 'A=from-more\n',
    'profiles/one/bot.sh': '',
  });
  const { sources } = loadConfig(home, { PATH: '/bin:/usr/bin' });
  for (const file of [
    'config.yaml',
    '.env',
    'profiles',
    'profiles/one',
    'profiles/one/config.yaml',
    'profiles/one/.env',
    'profiles/one/more.env',
    'profiles/one/bot.sh',
  ]) {
    t.ok(sources.includes(join(home, file)), file);
  }
});

t.test('loading reads the files anew each time', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': 'drain_seconds: 1\n' });
  loadConfig(home, {});
  writeFileSync(join(home, 'profiles/one/config.yaml'), 'drain_seconds: 2\n');
  t.match(profileOf(home), { config: { drainMs: 2000 } });
  rmSync(join(home, 'profiles/one'), { recursive: true });
  t.equal(loadConfig(home, {}).profiles.size, 0);
});
