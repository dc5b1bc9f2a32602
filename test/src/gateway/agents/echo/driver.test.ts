import t from 'tap';
import { createEchoDriver } from '../../../../../src/gateway/agents/echo/driver.js';

function ask(content: string, maxTokens?: number) {
  const deltas: string[] = [];
  const run = createEchoDriver().run({
    messages: [{ role: 'user', content }],
    sessionId: 's',
    turnId: 't',
    maxTokens,
    onDelta: (text) => deltas.push(text),
    signal: new AbortController().signal,
  });
  return run.then((answer) => ({ answer, deltas }));
}

t.test('the answer is the message, in several pieces, with every blank', async (t) => {
  for (const text of ['hello', '  two  words ', 'a\nb\tc', ' ', '🐙 ü']) {
    const { answer, deltas } = await ask(text);
    t.equal(answer.text, text);
    t.equal(deltas.join(''), text);
    t.equal(answer.finishReason, 'stop');
  }
  t.strictSame((await ask('one two three')).deltas, ['one ', 'two ', 'three']);
});

t.test('a limit of tokens is a limit of words', async (t) => {
  const { answer } = await ask('one two three', 2);
  t.equal(answer.text, 'one two ');
  t.equal(answer.finishReason, 'length');
  t.strictSame(answer.usage, { promptTokens: 3, completionTokens: 2 });
});
