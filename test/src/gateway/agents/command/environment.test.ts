import t from 'tap';
import { turnEnvironment } from '../../../../../src/gateway/agents/command/environment.js';
import type { ChatMessage } from '../../../../../src/gateway/agents/port.js';

function historyOf(history: readonly ChatMessage[]): ChatMessage[] {
  const facts = { profile: 'p', sessionId: 's', turnId: 't', history };
  return JSON.parse(turnEnvironment({}, facts).GATEWARDEN_HISTORY ?? '');
}

t.test('a history that is too long for one variable loses its oldest messages', async (t) => {
  const history = Array.from({ length: 100 }, (_, index) => ({
    role: 'user' as const,
    content: `${index} ${'ü'.repeat(1000)}`,
  }));
  const kept = historyOf(history);
  t.ok(kept.length > 40 && kept.length < 100, `${kept.length} kept`);
  t.strictSame(kept.at(-1), history.at(-1));
  t.ok(Buffer.byteLength(JSON.stringify(kept)) <= 96 * 1024);
});

t.test('no history is an empty list, and a message that is too long leaves nothing', async (t) => {
  t.strictSame(historyOf([]), []);
  t.strictSame(historyOf([{ role: 'user', content: 'x'.repeat(200_000) }]), []);
});
