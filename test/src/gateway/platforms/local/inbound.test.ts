import t from 'tap';
import { LOCAL_LINE_MAX_BYTES } from '../../../../../src/core/local-protocol.js';
import { LineReader } from '../../../../../src/gateway/platforms/local/inbound.js';

const HELLO = '{"code":"message","text":"hällo"}\n';

t.test('bytes one by one give the same lines as all at once', async (t) => {
  const bytes = Buffer.from(`${HELLO}\n  \n${HELLO}`);
  const one = new LineReader();
  const piecemeal = [...bytes].flatMap((byte) => one.take(Buffer.from([byte])));
  t.strictSame(piecemeal, new LineReader().take(bytes));
  t.equal(piecemeal.length, 2, 'empty lines are nothing');
});

t.test('a line counts when its newline has come, not before', async (t) => {
  const reader = new LineReader();
  t.strictSame(reader.take(Buffer.from(HELLO.trim())), []);
  t.match(reader.take(Buffer.from('\n')), [{ kind: 'message', message: { text: 'hällo' } }]);
});

t.test('a line that is too long is told once, and the next one is read', async (t) => {
  const reader = new LineReader();
  const half = Buffer.alloc(LOCAL_LINE_MAX_BYTES / 2 + 1, 0x61);
  t.strictSame([...reader.take(half), ...reader.take(half)], []);
  const lines = reader.take(Buffer.from(`tail\n${HELLO}`));
  t.match(lines, [{ kind: 'broken', expected: /at most 1048576 bytes/ }, { kind: 'message' }]);
});

t.test('bytes that are not UTF-8, and a text that is too long, are told', async (t) => {
  const reader = new LineReader();
  t.match(reader.take(Buffer.from([0xff, 0x0a])), [{ kind: 'broken', expected: /UTF-8/ }]);
  const long = JSON.stringify({ code: 'message', text: 'x'.repeat(65_537) });
  t.match(reader.take(Buffer.from(`${long}\n`)), [
    { kind: 'broken', expected: /65536 characters/ },
  ]);
});
