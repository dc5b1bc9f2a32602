import t from 'tap';
import { monotonicMs } from '../../../../src/core/monotonic.js';
import { refuseDraining } from '../../../../src/gateway/turns/refusals.js';

function refusedFor(lastedMs: number) {
  return refuseDraining('a', { why: 'it rests', sinceMs: monotonicMs() - lastedMs });
}

t.test('who is sent away comes back the later the longer it has lasted already', async (t) => {
  t.equal(refusedFor(0).retryAfterMs, 1000);
  const later = refusedFor(20_500).retryAfterMs ?? 0;
  t.ok(later >= 21_000 && later <= 60_000, `${later}`);
  t.equal(refusedFor(3_600_000).retryAfterMs, 60_000, 'but never stays away for long');
});

t.test('a refusal says why, and promises no moment', async (t) => {
  const { error } = refusedFor(3_600_000);
  t.match(error.message, 'profile a takes no new message: it rests');
  t.equal(error.next, 'send it again later, in 1m at the soonest');
});
