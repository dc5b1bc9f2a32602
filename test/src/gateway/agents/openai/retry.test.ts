import t from 'tap';
import type { ModelFault } from '../../../../../src/gateway/agents/openai/faults.js';
import { judgeRetry, parseRetryAfter } from '../../../../../src/gateway/agents/openai/retry.js';

const NOW = Date.UTC(2026, 0, 1);

function status(code: number, more: { code?: string; retryAfter?: string } = {}): ModelFault {
  return {
    kind: 'status',
    status: code,
    code: more.code,
    message: 'no',
    retryAfter: more.retryAfter,
  };
}

function judge(fault: ModelFault, more: { tries?: number; hasShown?: boolean } = {}) {
  const facts = { tries: 1, maxRetries: 3, hasShown: false, now: NOW, random: 0.5 };
  return judgeRetry({ ...facts, fault, ...more });
}

t.test('every status is retried or final, and only the curable ones are retried', async (t) => {
  const again: number[] = [];
  for (let code = 400; code < 600; code++) {
    if (judge(status(code)).kind === 'again') again.push(code);
  }
  t.strictSame(again, [408, 409, 425, 429, 500, 502, 503, 504, 529]);
});

t.test('a connection fault is retried, silence and a torn stream are not', async (t) => {
  t.equal(judge({ kind: 'connection', message: 'refused' }).kind, 'again');
  t.equal(judge({ kind: 'silence', timeoutMs: 5 }).kind, 'final');
  t.equal(judge({ kind: 'broken-stream', message: 'torn' }).kind, 'final');
});

t.test('nothing is retried once text was shown', async (t) => {
  t.equal(judge(status(503), { hasShown: true }).kind, 'final');
});

t.test('tries end at the limit: the first one and so many retries', async (t) => {
  t.equal(judge(status(503), { tries: 3 }).kind, 'again');
  t.equal(judge(status(503), { tries: 4 }).kind, 'final');
});

t.test('an empty account is not asked again', async (t) => {
  t.equal(judge(status(429, { code: 'insufficient_quota' })).kind, 'final');
});

t.test('the wait doubles up to its cap, half of it by chance', async (t) => {
  const waits = [1, 2, 3].map((tries) => {
    const verdict = judge(status(500), { tries });
    return verdict.kind === 'again' ? verdict.afterMs : -1;
  });
  t.strictSame(waits, [375, 750, 1500]);
  const late = judgeRetry({
    fault: status(500),
    tries: 30,
    maxRetries: 99,
    hasShown: false,
    now: NOW,
    random: 1,
  });
  t.match(late, { kind: 'again', afterMs: 8000 });
});

t.test('Retry-After is obeyed as seconds and as a date, up to a minute', async (t) => {
  const date = new Date(NOW + 4000).toUTCString();
  t.equal(parseRetryAfter('3', NOW), 3000);
  t.equal(parseRetryAfter('0.25', NOW), 250);
  t.equal(parseRetryAfter(date, NOW), 4000);
  t.equal(parseRetryAfter('86400', NOW), 60_000, 'capped');
  t.equal(parseRetryAfter(new Date(NOW - 4000).toUTCString(), NOW), 0, 'a date that has passed');
  for (const nonsense of [undefined, '', 'soon'])
    t.equal(parseRetryAfter(nonsense, NOW), undefined);
  t.match(judge(status(429, { retryAfter: '2' })), { kind: 'again', afterMs: 2000 });
});
