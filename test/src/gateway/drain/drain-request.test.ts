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

for (const text of [
  '',
  'drain!',
  '{',
  '[]',
  'null',
  '{"principal": 7}',
  '{"requested_at":"soon"}',
]) {
  t.test(`a file that holds ${JSON.stringify(text)} still asks`, async (t) => {
    t.strictSame(judge(text), { kind: 'active', principal: 'a file' });
  });
}

t.test('a request says who asks', async (t) => {
  t.strictSame(judge('{"action":"drain","principal":"deploy","epoch":"boot:1"}'), {
    kind: 'active',
    principal: 'deploy',
  });
});

t.test('a request of a machine that was started anew since is stale', async (t) => {
  t.strictSame(judge('{"epoch":"boot:0"}'), { kind: 'stale' });
});

t.test('a request that nobody renews is stale after its time', async (t) => {
  t.strictSame(judge('', NOW - DRAIN_REQUEST_TTL_MS).kind, 'active');
  t.strictSame(judge('', NOW - DRAIN_REQUEST_TTL_MS - 1), { kind: 'stale' });
  const old = JSON.stringify({ requested_at: new Date(NOW - 2 * DRAIN_REQUEST_TTL_MS) });
  t.strictSame(judge(old, NOW - 2 * DRAIN_REQUEST_TTL_MS), { kind: 'stale' });
  t.strictSame(judge(old, NOW).kind, 'active', 'writing it again renews it');
});
