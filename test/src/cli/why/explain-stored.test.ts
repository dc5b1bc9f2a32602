import t from 'tap';
import { explainStored } from '../../../../src/cli/why/explain-stored.js';
import type { StoredWhyFacts } from '../../../../src/cli/why/facts.js';
import { aDeath, NOW_MS } from '../../../support/status-facts.js';

const stored = (differs: Partial<StoredWhyFacts> = {}) =>
  explainStored({
    name: 'coder',
    desired: undefined,
    deaths: [],
    lastGeneration: undefined,
    live: undefined,
    life: { kind: 'none' },
    note: undefined,
    unit: undefined,
    start: 'start one with: gatewarden up',
    left: [],
    counters: {},
    supervisor: 'no supervisor runs',
    lastLines: [],
    nowMs: NOW_MS,
    ...differs,
  });

const NOTE = {
  kind: 'stall',
  atMs: NOW_MS - 5000,
  pid: 12,
  where: 'blocked in handle (/srv/tool.js:12:3)',
  lateMs: 90_000,
  fatal: true,
  path: '/srv/state/evidence/7.json',
} as const;

const UNCLEAN = {
  kind: 'unclean',
  detail: 'pid 12 vanished while running; last sign of life then',
  suspectsMemory: false,
  pid: 12,
  startedAt: NOW_MS - 60_000,
} as const;

const LIVE = {
  profile: 'coder',
  pid: 12,
  phase: 'serving',
  serves: [],
  servedBy: null,
} as const;

t.test('without a supervisor it tells what the store remembers', async (t) => {
  const why = stored({
    desired: 'running',
    deaths: [aDeath()],
    lastGeneration: aDeath().generation,
    counters: { failure: 5 },
    lastLines: ['Traceback'],
  });
  t.equal(
    why.paragraph,
    "coder is not supervised: no supervisor runs. It was wanted running. Its last run failed 3s ago with code 1, 812ms after its start, before it was ready: KeyError: 'TOKEN'. Restarts so far: 5 failure. It will be started when a supervisor starts.",
  );
  t.strictSame(why.lastLines, ['Traceback']);
  t.match(why.todo, 'gatewarden up');
});

t.test('a run that went down with its supervisor is not told as an older death', async (t) => {
  const { paragraph } = stored({
    desired: 'running',
    deaths: [aDeath({ generation: 1 })],
    lastGeneration: 4,
    left: [7, 8, 9, 10],
  });
  t.match(
    paragraph,
    'Its last run, generation 4, was alive when the supervisor was last seen: how',
  );
  t.match(paragraph, '4 processes of it still run (pid 7, 8, 9 and more)');
  t.notMatch(paragraph, 'code 1');
});

t.test('a gateway that serves without a supervisor is named', async (t) => {
  const alone = stored({ live: LIVE, life: { kind: 'alive', pid: 12 } });
  t.equal(
    alone.paragraph,
    'coder is not supervised: no supervisor runs. A gateway serves it (pid 12).',
  );
  t.equal(alone.todo, 'nothing');
  const guest = stored({ live: { ...LIVE, servedBy: 'default', phase: 'draining' } });
  t.match(guest.paragraph, 'The gateway of default serves it and is about to end (pid 12).');
});

t.test('while such a gateway is blocked, its evidence is told with the cure', async (t) => {
  const note = { ...NOTE, kind: 'loop-late', fatal: false } as const;
  const why = stored({ live: LIVE, note });
  t.match(
    why.paragraph,
    'Its newest evidence (loop-late) is 5s old: pid 12 was blocked in handle (/srv/tool.js:12:3).',
  );
  t.equal(why.evidence, NOTE.path);
  t.match(why.todo, 'look at the stacks in the evidence');
});

t.test('an end that no supervisor saw is told with its evidence', async (t) => {
  const why = stored({ life: UNCLEAN, note: NOTE });
  t.match(why.paragraph, `Its last run ended without a word: ${UNCLEAN.detail}.`);
  t.match(why.paragraph, 'Its newest evidence (stall) is 5s old: pid 12 was blocked in handle');
  t.notMatch(why.paragraph, 'No death of it');
  t.equal(why.evidence, NOTE.path);
  t.match(why.todo, /^look at the stacks in the evidence.*gatewarden up$/);
  t.match(stored({ life: UNCLEAN }).todo, 'find out who sent the signal');
  const older = { ...NOTE, pid: 11 };
  t.match(stored({ life: UNCLEAN, note: older }).todo, 'find out', 'of another process');
});

t.test('whichever end is the newer is the last one', async (t) => {
  const older = stored({ deaths: [aDeath({ at: NOW_MS - 600_000 })], life: UNCLEAN });
  t.match(older.paragraph, 'ended without a word');
  t.notMatch(older.paragraph, 'code 1');
  const newer = stored({ deaths: [aDeath()], lastGeneration: 6, life: UNCLEAN });
  t.match(newer.paragraph, 'with code 1');
  t.notMatch(newer.paragraph, 'ended without a word', 'it is the same life');
});

t.test('evidence that its death names already is told once', async (t) => {
  const why = stored({ deaths: [aDeath({ evidence: NOTE.path })], lastGeneration: 6, note: NOTE });
  t.notMatch(why.paragraph, 'newest evidence');
  t.equal(why.evidence, NOTE.path);
});

const UNIT = {
  name: 'gateway-coder',
  manager: 's6',
  scope: 'system',
  profile: 'coder',
  pid: null,
  state: 'down',
  words: 'down after exit 78',
  look: 's6-svstat /run/service/gateway-coder',
  exitCode: 78,
} as const;

t.test('a gateway with a unit of its own is told by that, and started by that', async (t) => {
  const { paragraph, todo, lastLines } = stored({
    unit: UNIT,
    start: 'start it with: gatewarden start coder',
    lastLines: ['gatewarden: error: no key'],
  });
  t.match(paragraph, 'coder is run by gateway-coder (s6), which is down after exit 78.');
  t.match(paragraph, 'Its configuration is refused: no retry can help.');
  t.match(paragraph, 'Nothing happens until somebody starts it.');
  t.notMatch(paragraph, 'supervise');
  t.match(todo, 'gatewarden config check');
  t.match(todo, 'more: s6-svstat /run/service/gateway-coder');
  t.match(todo, /start it with: gatewarden start coder$/);
  t.strictSame(lastLines, ['gatewarden: error: no key']);
});

t.test('the unit of a supervisor that is down is told, and nobody else is started', async (t) => {
  const { paragraph, todo } = stored({
    unit: {
      ...UNIT,
      name: 'gatewarden.service',
      manager: 'systemd',
      profile: null,
      words: 'failed, exit 78 (config)',
    },
    start: 'start it with: gatewarden start',
  });
  t.match(
    paragraph,
    'no supervisor runs. That is run by gatewarden.service (systemd), which is failed',
  );
  t.notMatch(todo, 'gatewarden up');
});
