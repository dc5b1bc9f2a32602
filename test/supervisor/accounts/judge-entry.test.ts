import t from 'tap';
import { type EntryFacts, judgeEntry } from '../../../supervisor/accounts/judge-entry.js';

const KINDS = ['directory', 'file', 'link', 'socket', 'other'] as const;
const BOT = 1500;
const EARLIER = 1400;

/** Every combination there is, by what may happen to it. */
function verdicts(isTrusted: boolean, toUid: number): Record<string, string> {
  const rows = KINDS.flatMap((kind) =>
    [0, EARLIER].flatMap((uid) => [1, 2].map((names): EntryFacts => ({ kind, uid, names }))),
  );
  return Object.fromEntries(
    rows.map((entry) => [
      `${entry.kind} of ${entry.uid} with ${entry.names}`,
      judgeEntry(entry, { isTrusted, toUid }).kind,
    ]),
  );
}

const ALWAYS = Object.fromEntries(
  [0, EARLIER].flatMap((uid) => [
    ...[1, 2].flatMap((names) => [
      [`directory of ${uid} with ${names}`, 'give'],
      [`socket of ${uid} with ${names}`, 'leave'],
    ]),
    [`file of ${uid} with 2`, 'refuse'],
  ]),
);

function others(verdict: string): Record<string, string> {
  const keys = [0, EARLIER].flatMap((uid) =>
    [1, 2].flatMap((names) => [`link of ${uid} with ${names}`, `other of ${uid} with ${names}`]),
  );
  return Object.fromEntries(keys.map((key) => [key, verdict]));
}

t.test('of what root alone has made, only a file with two names is in the way', async (t) => {
  t.strictSame(verdicts(true, BOT), {
    ...ALWAYS,
    ...others('leave'),
    'file of 0 with 1': 'give',
    [`file of ${EARLIER} with 1`]: 'give',
  });
});

t.test('of what another account had, nothing of root and no link goes on to a third', async (t) => {
  t.strictSame(verdicts(false, BOT), {
    ...ALWAYS,
    ...others('refuse'),
    'file of 0 with 1': 'refuse',
    [`file of ${EARLIER} with 1`]: 'give',
  });
});

t.test('nothing that root would follow comes back to root', async (t) => {
  t.strictSame(verdicts(false, 0), {
    ...ALWAYS,
    ...others('refuse'),
    'file of 0 with 1': 'leave',
    [`file of ${EARLIER} with 1`]: 'give',
  });
});
