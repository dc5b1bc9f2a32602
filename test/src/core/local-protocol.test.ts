import t from 'tap';
import {
  parseFromChat,
  parseToChat,
  renderLine,
  type ToChat,
} from '../../../src/core/local-protocol.js';

t.test("a client's lines are read, also with fields of a later version", async (t) => {
  t.strictSame(parseFromChat('{"code":"message","text":"hi"}'), {
    kind: 'message',
    message: { code: 'message', text: 'hi' },
  });
  t.strictSame(parseFromChat('{"code":"message","text":"hi","session":"s","id":"7","x":1}'), {
    kind: 'message',
    message: { code: 'message', text: 'hi', session: 's', id: '7' },
  });
  t.strictSame(parseFromChat('{"code":"new","session":null}'), {
    kind: 'message',
    message: { code: 'new' },
  });
  t.strictSame(parseFromChat('{"code":"stop","session":"s"}'), {
    kind: 'message',
    message: { code: 'stop', session: 's' },
  });
});

t.test('a line that is not in the contract says what was expected', async (t) => {
  for (const line of [
    '',
    'hello',
    '[]',
    'null',
    '5',
    '{}',
    '{"code":"final"}',
    '{"code":"message"}',
    '{"code":"message","text":" "}',
    '{"code":"message","text":5}',
    '{"code":"message","text":"x","session":""}',
    '{"code":"message","text":"x","session":5}',
    `{"code":"message","text":"x","session":"${'x'.repeat(257)}"}`,
    '{"code":"message","text":"x","id":"a\\u0000b"}',
  ]) {
    t.match(parseFromChat(line), { kind: 'broken', expected: /^expected / }, line);
  }
});

t.test('every line of a gateway survives the way, and a foreign one is broken', async (t) => {
  const error = { code: 'c', message: 'm', next: 'n' };
  const all: ToChat[] = [
    { code: 'welcome', profile: 'p', version: '1' },
    { code: 'delta', turn: 't', text: 'a\nb' },
    { code: 'final', turn: 't', text: '' },
    { code: 'error', turn: null, error, retryAfterMs: null },
    { code: 'renewed' },
    { code: 'rescanned', served: ['coder'] },
    { code: 'stopped', found: true },
    { code: 'notice', session: null, turn: 't', text: 'news' },
    { code: 'draining', retryAfterMs: 5 },
  ];
  for (const message of all) {
    const line = renderLine(message);
    t.equal(line.indexOf('\n'), line.length - 1, 'one line');
    t.strictSame(parseToChat(line), { kind: 'message', message });
  }
  for (const line of [
    'HTTP/1.1 400',
    '{}',
    '{"code":"delta"}',
    '{"code":"toString"}',
    '{"code":"error"}',
    '{"code":"draining"}',
    '{"code":"stopped"}',
    '{"code":"rescanned"}',
    '{"code":"notice","turn":"t"}',
  ]) {
    t.equal(parseToChat(line).kind, 'broken', line);
  }
});
