import fc from 'fast-check';
import t from 'tap';
import type { GatewayAssignment } from '../../../src/core/assignment.js';
import {
  FROM_WORKER_CODES,
  type FromWorker,
  type Parsed,
  parseFromWorker,
  parseToWorker,
  TO_WORKER_CODES,
  type ToWorker,
  toListenError,
} from '../../../src/core/ipc.js';
import { DEFAULT_WATCH_POLICY } from '../../../src/core/watch.js';
import { EMPTY_REPORT } from '../../../src/core/work.js';

const ASSIGNMENT: GatewayAssignment = {
  profile: 'coder',
  generation: 3,
  home: '/srv/home',
  stateDir: '/srv/home/profiles/coder/state',
  localSocket: undefined,
  agent: { driver: 'echo' },
  apiServer: undefined,
  watchdog: DEFAULT_WATCH_POLICY,
  drainMs: 30_000,
  budgets: {
    jobsDrainMs: 30_000,
    drainLimitMs: 40_000,
    afterTurnMs: 1_800_000,
    interruptGraceMs: 2000,
    guardAfterDrainMs: 5000,
    guardPatienceMs: 20_500,
    dumpMs: 5000,
  },
  inactivity: { limitMs: 0, warningMs: 0, noteMs: 0 },
  resume: {
    freshnessMs: 0,
    loopGuard: { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 },
  },
  lifecycleNotices: [],
  env: {},
  secrets: [],
  toolMemoryBytes: undefined,
  containment: undefined,
};

const TO_WORKER: { readonly [Code in ToWorker['code']]: Extract<ToWorker, { code: Code }> } = {
  assign: {
    code: 'assign',
    assignment: ASSIGNMENT,
  },
  drain: { code: 'drain', reason: 'stop', budgetMs: 30_000 },
  hurry: { code: 'hurry' },
  serve: { code: 'serve', assignment: ASSIGNMENT },
  unserve: { code: 'unserve', profile: 'coder', reason: 'stop', budgetMs: 30_000 },
  'listen-result': {
    code: 'listen-result',
    id: 1,
    address: { kind: 'tcp', host: '127.0.0.1', port: 8642 },
    error: undefined,
  },
  connection: { code: 'connection', id: 1 },
};

const FROM_WORKER: { readonly [Code in FromWorker['code']]: Extract<FromWorker, { code: Code }> } =
  {
    hello: { code: 'hello', pid: 4711, version: '0.1.0' },
    phase: { code: 'phase', phase: 'opening the store', leaseMs: 30_000 },
    listen: { code: 'listen', id: 1, address: { kind: 'unix', path: '/run/x.sock' } },
    taken: { code: 'taken', id: 1 },
    ready: { code: 'ready', report: EMPTY_REPORT },
    report: { code: 'report', report: EMPTY_REPORT },
    degraded: { code: 'degraded', detail: 'telegram is gone' },
    recovered: { code: 'recovered' },
    'processes-high': { code: 'processes-high', turn: 't1', processes: 40, threshold: 32 },
    'restart-wanted': { code: 'restart-wanted', detail: '/restart' },
    farewell: { code: 'farewell', exitCode: 78, detail: 'no key', remedy: 'set one' },
    unserved: { code: 'unserved', profile: 'coder', exitCode: 0 },
  };

const CHANNELS = [
  { name: 'to the worker', parse: parseToWorker, examples: TO_WORKER, codes: TO_WORKER_CODES },
  {
    name: 'from the worker',
    parse: parseFromWorker,
    examples: FROM_WORKER,
    codes: FROM_WORKER_CODES,
  },
] as const;

/** As node:cluster carries it. */
const overTheWire = (message: unknown): unknown => JSON.parse(JSON.stringify(message));

for (const { name, parse, examples, codes } of CHANNELS) {
  const parsed = (raw: unknown): Parsed<ToWorker | FromWorker> => parse(raw);

  t.test(`every message ${name} arrives as it was sent`, async (t) => {
    t.strictSame(Object.keys(examples).sort(), [...codes].sort(), 'each code has an example');
    for (const message of Object.values(examples)) {
      const raw = overTheWire(message);
      t.strictSame(parsed(raw), { kind: 'message', message: raw }, message.code);
    }
  });

  t.test(
    `a message ${name} without one of its fields, or with a wrong one, is broken`,
    async (t) => {
      for (const message of Object.values(examples)) {
        for (const field of Object.keys(message).filter((key) => key !== 'code')) {
          const isOptional =
            field === 'error' || (message.code === 'listen-result' && field === 'address');
          const { [field]: _, ...rest } = message as unknown as Record<string, unknown>;
          if (!isOptional) t.equal(parsed(rest).kind, 'broken', `${message.code} without ${field}`);
          for (const wrong of [null, true, [], () => {}, Number.NaN]) {
            t.strictSame(
              parsed({ ...message, [field]: wrong }),
              { kind: 'broken', code: message.code },
              `${message.code}.${field} = ${String(wrong)}`,
            );
          }
        }
      }
    },
  );

  t.test(`what another library sends ${name} is foreign, not an error`, async (t) => {
    const foreign = [
      null,
      undefined,
      7,
      'assign',
      [],
      {},
      { code: 7 },
      { type: 'hurry' },
      () => {},
    ];
    for (const raw of foreign) t.strictSame(parsed(raw), { kind: 'foreign' });
  });

  t.test(`an unknown code ${name} is broken and named`, async (t) => {
    for (const code of ['nope', '', 'constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      t.strictSame(parsed({ code }), { kind: 'broken', code });
    }
  });

  t.test(`no value ${name} makes the parser throw`, async (t) => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (raw) => {
        parsed(raw);
        parsed({ code: 'report', report: raw });
        parsed({ code: 'assign', assignment: raw });
      }),
      { numRuns: 2000 },
    );
    t.pass('2000 values');
  });
}

t.test('each direction refuses the other one’s messages', async (t) => {
  for (const message of Object.values(FROM_WORKER)) t.equal(parseToWorker(message).kind, 'broken');
  for (const message of Object.values(TO_WORKER)) t.equal(parseFromWorker(message).kind, 'broken');
});

t.test('a report without its lists and an address of no kind are broken', async (t) => {
  const broken = [
    { code: 'ready', report: {} },
    { code: 'report', report: { platforms: [], work: [] } },
    { code: 'report', report: { platforms: {}, work: [], listen: [] } },
    { code: 'listen', id: 1, address: { kind: 'tcp', host: '127.0.0.1' } },
    { code: 'listen', id: 1, address: { kind: 'tcp', host: '::', port: Number.POSITIVE_INFINITY } },
    { code: 'listen', id: 1, address: { kind: 'pipe', path: '/x' } },
    { code: 'listen', id: 1, address: { path: '/x' } },
  ];
  for (const raw of broken) t.equal(parseFromWorker(raw).kind, 'broken', JSON.stringify(raw));
  t.equal(parseToWorker({ code: 'drain', reason: 'because', budgetMs: 1 }).kind, 'broken');
  t.equal(parseToWorker({ code: 'drain', reason: 'toString', budgetMs: 1 }).kind, 'broken');
});

t.test('a polluted prototype gives no message its fields', async (t) => {
  const raw: unknown = JSON.parse('{"__proto__":{"code":"hurry"},"pid":1}');
  t.strictSame(parseToWorker(raw), { kind: 'foreign' });
});

t.test('a listen error carries its errno and its text, whatever was thrown', async (t) => {
  const thrown = Object.assign(new Error('address in use'), { code: 'EADDRINUSE' });
  t.strictSame(toListenError(thrown), { errno: 'EADDRINUSE', text: 'address in use' });
  t.strictSame(toListenError('odd'), { errno: 'UNKNOWN', text: 'odd' });
});
