import t from 'tap';
import { configJsonSchema, explainKey, knownKeys } from '../../../src/config/index.js';
import { problemsOfOne } from '../../support/config-home.js';

t.test('the keys of spec and file format are known', async (t) => {
  const keys = knownKeys();
  for (const key of [
    'supervisor.restart.backoff_base_seconds',
    'supervisor.start.deadline_seconds',
    'supervisor.stop.kill_after_seconds',
    'supervisor.storm.deaths',
    'supervisor.log.max_size',
    'supervisor.status_page.enabled',
    'supervisor.control.listen',
    'gateway.multiplex_profiles',
    'gateway.multiplex_profile_allowlist',
    'defaults',
    'agent.driver',
    'agent.base_url',
    'agent.command',
    'platforms.api_server.port',
    'platforms.webhook.enabled',
    'limits.memory',
    'limits.processes',
    'limits.cpu',
    'restart.max_restarts',
    'drain_seconds',
    'ready.http',
    'env',
    'env_files',
  ]) {
    t.ok(keys.includes(key), key);
  }
  t.equal(new Set(keys).size, keys.length, 'each once');
});

t.test('every key is explained: what it is, its type, and where it stands', async (t) => {
  for (const key of knownKeys()) {
    const explanation = explainKey(key);
    t.ok(explanation?.description, `${key} has a description`);
    t.ok(explanation?.type, `${key} has a type`);
  }
});

t.test('what is no key is not explained', async (t) => {
  for (const key of [
    '',
    'nope',
    'agent.nope',
    'defaults.nope',
    'defaults.supervisor',
    '__proto__',
  ]) {
    t.equal(explainKey(key), undefined, key);
  }
});

t.test('an explanation tells the range, the default and the drivers', async (t) => {
  t.match(explainKey('platforms.api_server.port'), {
    file: 'profile',
    type: 'a whole number from 0 to 65535',
    byDefault: 8642,
    drivers: [],
  });
  t.match(explainKey('agent.driver'), { type: 'one of echo, openai, command', drivers: [] });
  t.match(explainKey('agent.model'), { drivers: ['openai'], example: 'gpt-4.1-mini' });
  t.match(explainKey('agent.timeout_seconds'), { byDefault: { openai: 120, command: 600 } });
  t.match(explainKey('defaults.drain_seconds'), { file: 'host', byDefault: 30 });
});

t.test('the JSON Schemas are closed and describe every property', async (t) => {
  for (const kind of ['host', 'profile'] as const) {
    const visit = (node: unknown, path: string) => {
      if (typeof node !== 'object' || node === null) return;
      const { type, properties, additionalProperties } = node as Record<string, unknown>;
      if (type === 'object' && properties !== undefined) {
        t.equal(additionalProperties, false, `${path} is closed`);
        for (const [key, child] of Object.entries(properties as object)) {
          t.ok((child as { description?: string }).description, `${path}.${key} is described`);
        }
      }
      for (const [key, child] of Object.entries(node)) visit(child, `${path}.${key}`);
    };
    visit(configJsonSchema(kind), kind);
    t.match(configJsonSchema(kind), { $schema: /2020-12/, title: new RegExp(kind) });
  }
});

t.test('an unknown key is answered with the nearest known one of that place', async (t) => {
  for (const [text, hint] of [
    ['drain: 5', 'did you mean drain_seconds?'],
    ['drainSeconds: 5', 'did you mean drain_seconds?'],
    ['platform: {}', 'did you mean platforms?'],
    ['platforms: {api-server: {}}', 'did you mean api_server?'],
    ['platforms: {api_server: {prot: 1}}', 'did you mean port?'],
    ['agent: {driver: command, command: [x], timeout: 1}', 'did you mean timeout_seconds?'],
    ['agent: {driver: echo, modle: x}', 'known here: driver'],
    ['command: [x]\nready: {htpp: x}', 'did you mean http?'],
    ['zzz: 1', /^known here: enabled, essential, /],
  ] as const) {
    const [problem] = problemsOfOne(t, `${text}\n`);
    t.match(problem?.hint, hint, text);
  }
});
