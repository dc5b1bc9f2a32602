import t from 'tap';
import {
  type SentenceProfile,
  statusSentence,
} from '../../../supervisor/manager/status-sentence.js';

const profile = (name: string, differs: Partial<SentenceProfile> = {}): SentenceProfile => ({
  name,
  desired: 'running',
  state: 'ready',
  parked: undefined,
  degradedBecause: undefined,
  ...differs,
});
const RUNNING = { isLeaving: false, withheld: undefined };
const PARKED = { reason: 'config', detail: 'token missing' };

for (const [title, profiles, sentence] of [
  [
    'a parked profile is named with its reason',
    [profile('a'), profile('b'), profile('coder', { state: 'parked', parked: PARKED })],
    '2 of 3 profiles ready; coder parked: config (token missing)',
  ],
  ['all is well', [profile('a')], '1 of 1 profile ready'],
  [
    'nothing is wanted',
    [profile('a', { desired: 'stopped', state: 'stopped' })],
    'no profile is wanted',
  ],
  [
    'what is not yet ready is named with its state',
    [profile('a', { state: 'starting' }), profile('b', { state: 'backoff' })],
    '0 of 2 profiles ready; a starting; b waits to be restarted',
  ],
  [
    'a degraded one says why',
    [profile('a', { state: 'degraded', degradedBecause: 'telegram is late' })],
    '0 of 1 profile ready; a degraded (telegram is late)',
  ],
  [
    'many troubles are counted',
    ['a', 'b', 'c', 'd', 'e'].map((name) => profile(name, { state: 'backoff' })),
    '0 of 5 profiles ready; a waits to be restarted; b waits to be restarted; c waits to be restarted; 2 more in trouble',
  ],
  [
    'a detail of many lines stays one line, and short',
    [
      profile('a', {
        state: 'parked',
        parked: { reason: 'config', detail: `x\n${'y'.repeat(200)}` },
      }),
    ],
    `0 of 1 profile ready; a parked: config (x ${'y'.repeat(57)}…)`,
  ],
] as const) {
  t.test(`the manager's sentence: ${title}`, async (t) => {
    t.equal(statusSentence(profiles, RUNNING), sentence);
  });
}

t.test('while everything stops, it says for whom it waits', async (t) => {
  const profiles = [profile('a', { state: 'draining' }), profile('b', { state: 'stopped' })];
  const leaving = { isLeaving: true, withheld: undefined };
  t.equal(statusSentence(profiles, leaving), 'stopping; waiting for a');
  t.equal(statusSentence([], leaving), 'stopping');
});

t.test('a watchdog that is not fed is no secret', async (t) => {
  t.equal(
    statusSentence([profile('a')], { isLeaving: false, withheld: 'a late' }),
    '1 of 1 profile ready; watchdog not fed: a late',
  );
});
