import fc from 'fast-check';
import t from 'tap';
import {
  DEFAULT_WATCH_POLICY,
  type FromWatch,
  parseFromWatch,
  parseToWatch,
  type ToWatch,
} from '../../../src/core/watch.js';

const TO: readonly ToWatch[] = [
  {
    code: 'watch',
    order: {
      profile: 'a',
      generation: 1,
      evidenceDir: '/srv/evidence',
      policy: DEFAULT_WATCH_POLICY,
    },
  },
  { code: 'dump', kind: 'start-timeout' },
  { code: 'ending', kind: 'stop-timeout', budget: { withinMs: 5, patienceMs: 0 } },
];
const FROM: readonly FromWatch[] = [
  { code: 'beat', lateMs: 0 },
  {
    code: 'evidence',
    kind: 'stall',
    path: '/x',
    unwritten: 'full',
    where: 'here',
    lateMs: 1,
    fatal: true,
  },
  { code: 'recovered' },
];

t.test('every message comes out of the pipe as it went in', async (t) => {
  for (const message of TO) t.strictSame(parseToWatch(JSON.stringify(message)), message);
  for (const message of FROM) t.strictSame(parseFromWatch(JSON.stringify(message)), message);
});

t.test('what is absent may be absent: a settled end, evidence without a file', async (t) => {
  const settled = '{"code":"ending","kind":"start-timeout"}';
  t.match(parseToWatch(settled), { code: 'ending', kind: 'start-timeout' });
  const pathless = '{"code":"evidence","kind":"stall","where":"x","lateMs":1,"fatal":false}';
  t.match(parseFromWatch(pathless), { code: 'evidence', where: 'x' });
});

t.test('half a line, a wrong field and a foreign code are no message', async (t) => {
  const bad = [
    '',
    '{"code":"be',
    'null',
    '7',
    '{"code":"beat"}',
    '{"code":"beat","lateMs":"1"}',
    '{"code":"evidence","kind":"rumour","where":"x","lateMs":1,"fatal":false}',
    '{"code":"__proto__"}',
    '{"code":"toString"}',
    '{"code":"ending","kind":"stop-timeout","budget":{"withinMs":1}}',
    '{"code":"ending","kind":"stop-timeout","budget":7}',
  ];
  for (const line of bad) t.equal(parseFromWatch(line), undefined, line);
  for (const line of bad) t.equal(parseToWatch(line), undefined, line);
});

t.test('no line at all makes a parser throw', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      parseFromWatch(line);
      parseToWatch(line);
    }),
  );
});
