import t from 'tap';
import {
  DRAIN_REQUEST_TTL_MS,
  judgeDrainRequest,
} from '../../../../src/gateway/drain/drain-request.js';

const NOW = 10_000_000_000;
const judge = (text: string, writtenAt = NOW) =>
  judgeDrainRequest({ file: { text, writtenAt }, now: NOW, epoch: 'boot:1' });

t.test('without a file nobody asks', async (t) => {
  t.strictSame(judgeDrainRequest({ file: undefined, now: NOW, epoch: '' }), { kind: 'none' });
});

t.test('an empty file asks, and there is nothing odd about it', async (t) => {
  for (const text of ['', '\n']) {
    t.strictSame(judge(text), { kind: 'active', principal: 'a file', complaints: [] });
  }
});

for (const text of ['drain!', '{', '[]', 'null', '"drain"']) {
  t.test(`a file that holds ${text} still asks, and is told to be no request`, async (t) => {
    t.strictSame(judge(text), {
      kind: 'active',
      principal: 'a file',
      complaints: ['it holds something else than a JSON object'],
    });
  });
}

const ODD_FIELDS: readonly (readonly [text: string, complaint: string])[] = [
  ['{"action":"resume"}', 'its action should be "drain", and is "resume"'],
  ['{"action":null}', 'its action should be "drain", and is null'],
  ['{"principal":7}', 'its principal should be a text, and is 7'],
  [
    '{"requested_at":"soon"}',
    'its requested_at should be a time as ISO 8601 writes it, and is "soon"',
  ],
  ['{"epoch":1}', 'its epoch should be a text, and is 1'],
  [
    '{"suppress_notification":"yes"}',
    'its suppress_notification should be true or false, and is "yes"',
  ],
];

for (const [text, complaint] of ODD_FIELDS) {
  t.test(`a file that holds ${text} still asks, and the field is told by name`, async (t) => {
    t.strictSame(judge(text), { kind: 'active', principal: 'a file', complaints: [complaint] });
  });
}

t.test('a request says who asks', async (t) => {
  const text =
    '{"action":"drain","principal":"deploy","epoch":"boot:1","suppress_notification":true}';
  t.strictSame(judge(text), {
    kind: 'active',
    principal: 'deploy',
    complaints: [],
  });
});

t.test('a request of a machine that was started anew since is stale', async (t) => {
  t.strictSame(judge('{"epoch":"boot:0"}'), { kind: 'stale' });
});

t.test('a request that nobody renews is stale after its time', async (t) => {
  t.equal(judge('', NOW - DRAIN_REQUEST_TTL_MS).kind, 'active');
  t.strictSame(judge('', NOW - DRAIN_REQUEST_TTL_MS - 1), { kind: 'stale' });
  const old = JSON.stringify({ requested_at: new Date(NOW - 2 * DRAIN_REQUEST_TTL_MS) });
  t.strictSame(judge(old, NOW - 2 * DRAIN_REQUEST_TTL_MS), { kind: 'stale' });
  t.strictSame(judge(old, NOW).kind, 'active', 'writing it again renews it');
});
