import t from 'tap';
import { loadConfig } from '../../../src/config/index.js';
import { homeWith, loadOne, problemsOfOne } from '../../support/config-home.js';

const OPENAI = 'driver: openai, model: m, base_url: "http://127.0.0.1:1/v1"';

const REFUSED: readonly (readonly [what: string, text: string, keys: readonly string[]])[] = [
  [
    'a restart budget with a zero window',
    'restart: {max_restarts: 3, window_seconds: 0}',
    ['restart.window_seconds'],
  ],
  [
    'a back-off cap below its base',
    'restart: {backoff_base_seconds: 9, backoff_cap_seconds: 8}',
    ['restart.backoff_cap_seconds'],
  ],
  [
    'a back-off base above the default cap',
    'restart: {backoff_base_seconds: 301}',
    ['restart.backoff_cap_seconds'],
  ],
  [
    'a negative healthy time',
    'restart: {healthy_after_seconds: -1}',
    ['restart.healthy_after_seconds'],
  ],
  ['jitter of more than everything', 'restart: {jitter: 1.5}', ['restart.jitter']],
  ['readiness http without a URL', 'command: [x]\nready: {http: }', ['ready.http']],
  ['readiness http with an empty URL', 'command: [x]\nready: {http: ""}', ['ready.http']],
  ['readiness http with a path alone', 'command: [x]\nready: {http: /health}', ['ready.http']],
  [
    'readiness over another protocol',
    'command: [x]\nready: {http: "ftp://127.0.0.1/"}',
    ['ready.http'],
  ],
  [
    'a readiness URL with a password',
    'command: [x]\nready: {http: "http://a:b@127.0.0.1/"}',
    ['ready.http'],
  ],
  ['readiness log with a broken expression', 'command: [x]\nready: {log: "("}', ['ready.log']],
  ['readiness log with look-around', 'command: [x]\nready: {log: "(?<=port )8"}', ['ready.log']],
  ['readiness log with a back-reference', "command: [x]\nready: {log: '(a)\\1'}", ['ready.log']],
  ['readiness of two kinds', 'command: [x]\nready: {log: a, started_seconds: 1}', ['ready']],
  ['readiness of no kind', 'command: [x]\nready: {}', ['ready']],
  ['readiness of an unknown kind', 'command: [x]\nready: soon', ['ready']],
  ['an unknown driver', 'agent: {driver: gpt}', ['agent.driver']],
  ['an agent without a driver', 'agent: {model: m}', ['agent.driver']],
  ['a driver that is not in this version', 'agent: {driver: acp}', ['agent.driver']],
  ['a setting of another driver', 'agent: {driver: echo, model: m}', ['agent.model']],
  ['an openai agent without a model', 'agent: {driver: openai, api_key: k}', ['agent.model']],
  ['a command agent without a command', 'agent: {driver: command}', ['agent.command']],
  ['the public endpoint without a key', 'agent: {driver: openai, model: m}', ['agent.api_key']],
  ['a tool that there is not', `agent: {${OPENAI}, tools: [shell]}`, ['agent.tools[0]']],
  ['a tool that is listed twice', `agent: {${OPENAI}, tools: [process, process]}`, ['agent.tools']],
  ['tools that are no list', `agent: {${OPENAI}, tools: terminal}`, ['agent.tools']],
  ['tools of another driver', 'agent: {driver: echo, tools: []}', ['agent.tools']],
  ['a key with blanks in it', `agent: {${OPENAI}, api_key: "a b"}`, ['agent.api_key']],
  [
    'a program beside an agent and platforms',
    'command: [x]\nagent: {driver: echo}\nplatforms: {}',
    ['agent', 'platforms'],
  ],
  ['readiness and a directory without a program', 'ready: fd\ncwd: .', ['ready', 'cwd']],
  ['a working directory that does not exist', 'command: [x]\ncwd: nowhere', ['cwd']],
  [
    'an agent in a directory that does not exist',
    'agent: {driver: command, command: [x], cwd: nowhere}',
    ['agent.cwd'],
  ],
  [
    'an open API without a key',
    'platforms: {api_server: {enabled: true, host: 0.0.0.0}}',
    ['platforms.api_server.key'],
  ],
  [
    'an API on a name that may be anywhere, without a key',
    'platforms: {api_server: {enabled: true, host: myhost}}',
    ['platforms.api_server.key'],
  ],
  [
    'an address with a port in it',
    'platforms: {api_server: {enabled: true, host: "127.0.0.1:80/x"}}',
    ['platforms.api_server.host'],
  ],
  [
    'a port beyond the last one',
    'platforms: {api_server: {port: 65536}}',
    ['platforms.api_server.port'],
  ],
  [
    'a name in env that carries our contract',
    'env: {NOTIFY_SOCKET: x, GATEWARDEN_HOME: y}',
    ['env.NOTIFY_SOCKET', 'env.GATEWARDEN_HOME'],
  ],
  ['a strike before its look', 'watchdog: {strike_seconds: 4}', ['watchdog.strike_seconds']],
  [
    'strikes that a collection of garbage would use up',
    'watchdog: {check_seconds: 0.1, warn_seconds: 0.1, strike_seconds: 0.5}',
    ['watchdog.strike_seconds'],
  ],
  ['a warning before its look', 'watchdog: {warn_seconds: 4}', ['watchdog.warn_seconds']],
  ['a warning after the end', 'watchdog: {warn_seconds: 90}', ['watchdog.warn_seconds']],
  [
    'a silence in which one sign of life is missed',
    'watchdog: {silence_seconds: 69}',
    ['watchdog.silence_seconds'],
  ],
  [
    'looks so seldom that a healthy thread is silent for too long',
    'watchdog: {check_seconds: 20, warn_seconds: 20}',
    ['watchdog.silence_seconds'],
  ],
  [
    'a silence shorter than a birth',
    'watchdog: {check_seconds: 0.1, beat_seconds: 0.1, silence_seconds: 2}',
    ['watchdog.silence_seconds'],
  ],
  ['an account that there is not', 'user: gatewarden-no-such-account', ['user']],
  ...['relay', 'telegram', 'slack', 'discord', 'webhook'].map(
    (name) =>
      [
        `${name}, which this version does not have`,
        `platforms: {${name}: {enabled: true}}`,
        [`platforms.${name}.enabled`],
      ] as const,
  ),
];

for (const [what, text, keys] of REFUSED) {
  t.test(`${what} is refused`, async (t) => {
    t.strictSame(
      problemsOfOne(t, `${text}\n`).map(({ key }) => key),
      keys,
    );
  });
}

const ALLOWED: readonly (readonly [what: string, text: string])[] = [
  ['a watchdog at the edge of each rule', 'watchdog: {warn_seconds: 89, silence_seconds: 70}'],
  [
    'a watchdog that is fast in everything',
    'watchdog: {check_seconds: 0.1, warn_seconds: 0.1, strike_seconds: 2, strikes: 1, beat_seconds: 0.1, silence_seconds: 5}',
  ],
  ['no budget with a zero window', 'restart: {max_restarts: 0, window_seconds: 0}'],
  ['a cap equal to its base', 'restart: {backoff_base_seconds: 9, backoff_cap_seconds: 9}'],
  ['an API on loopback without a key', 'platforms: {api_server: {enabled: true, host: localhost}}'],
  [
    'an API on the other loopback without a key',
    'platforms: {api_server: {enabled: true, host: "::1"}}',
  ],
  ['an open API with a key', 'platforms: {api_server: {enabled: true, host: 0.0.0.0, key: k}}'],
  ['an open address of an API that is off', 'platforms: {api_server: {host: 0.0.0.0}}'],
  ['a platform to come that is off', 'platforms: {telegram: {enabled: false}, relay: {}}'],
  ['an endpoint of one’s own without a key', `agent: {${OPENAI}}`],
  ['a program with limits and env', 'command: [x]\nlimits: {cpu: 1}\nenv: {A: b}'],
];

for (const [what, text] of ALLOWED) {
  t.test(`${what} is accepted`, async (t) => {
    t.strictSame(problemsOfOne(t, `${text}\n`), []);
  });
}

t.test('a bad value is refused, not repaired: the longest time is named', async (t) => {
  const [problem] = problemsOfOne(t, 'drain_seconds: 99999999\n');
  t.match(problem, { expected: 'a number of seconds from 0 to 2147483', got: '99999999' });
  t.equal(loadOne(t, 'drain_seconds: 2147483\n').drainMs, 2_147_483_000);
});

t.test('a secret in a command line is refused, because others can read it there', async (t) => {
  for (const [text, key] of [
    ['command: [x, "--token=${A}"]', 'command[1]'],
    ['agent: {driver: command, command: [x, "${A}"]}', 'agent.command[1]'],
  ] as const) {
    t.match(problemsOfOne(t, `${text}\n`, 'A=b\n'), [{ key, hint: 'hand it over in env' }]);
  }
});

t.test('a driver that is still to come is told as such', async (t) => {
  t.match(problemsOfOne(t, 'agent: {driver: acp}\n'), [
    { got: '"acp"', hint: 'this version does not have acp yet' },
  ]);
});

const HOST_REFUSED: readonly (readonly [what: string, text: string, told: RegExp])[] = [
  [
    'a lease longer than all leases',
    'supervisor: {start: {max_lease_seconds: 9, max_total_seconds: 8}}',
    /max_lease_seconds/,
  ],
  [
    'a restart budget with a zero window',
    'supervisor: {restart: {max_restarts: 1, window_seconds: 0}}',
    /supervisor\.restart\.window_seconds/,
  ],
  [
    'a control address without a token',
    'supervisor: {control: {listen: "127.0.0.1:1"}}',
    /supervisor\.control\.token/,
  ],
  [
    'a control address without a port',
    'supervisor: {control: {listen: "127.0.0.1", token: t}}',
    /supervisor\.control\.listen/,
  ],
  [
    'a control port beyond the last one',
    'supervisor: {control: {listen: "127.0.0.1:65536", token: t}}',
    /supervisor\.control\.listen/,
  ],
  ['no turn at all', 'gateway: {multiplex_max_turns: 0}', /multiplex_max_turns/],
  [
    'an allow-list with a bad name',
    'gateway: {multiplex_profile_allowlist: ["../x"]}',
    /a profile name/,
  ],
  [
    'an unresolved secret',
    'supervisor: {control: {listen: "127.0.0.1:1", token: "${T}"}}',
    /a value for \$\{T\} of the host/,
  ],
  ['a start deadline of zero', 'supervisor: {start: {deadline_seconds: 0}}', /deadline_seconds/],
  ['no log files at all', 'supervisor: {log: {files: 0}}', /files/],
];

for (const [what, text, told] of HOST_REFUSED) {
  t.test(`${what} in the host file is refused`, async (t) => {
    const home = homeWith(t, { 'config.yaml': `${text}\n` });
    t.throws(() => loadConfig(home, {}), { code: 'config-invalid', message: told });
  });
}

t.test('a pattern that linear time does not allow is told as what it may not hold', async (t) => {
  const [problem] = problemsOfOne(t, 'command: [x]\nready: {log: "(?=up)"}');
  t.match(problem?.expected, /without look-around, back-references/);
  t.equal(problem?.got, '"(?=up)"');
});
