import t from 'tap';
import { RollingOutput } from '../../../../src/gateway/processes/rolling-output.js';

t.test('the newest characters are kept, and positions stay true', async (t) => {
  const output = new RollingOutput(10, []);
  for (const piece of ['abc', 'defgh', 'ijklmn', 'o']) output.take(Buffer.from(piece));
  t.equal(output.totalChars, 15);
  t.equal(output.firstChar, 5);
  t.equal(output.since(0), 'fghijklmno');
  t.equal(output.since(12), 'mno');
  t.equal(output.since(15), '');
  t.equal(output.tail(4), 'lmno');
  t.equal(output.tail(100), 'fghijklmno');
});

t.test('a piece that is longer than all that is kept leaves its end', async (t) => {
  const output = new RollingOutput(4, []);
  output.take(Buffer.from('0123456789'));
  t.equal(output.since(0), '6789');
  t.equal(output.firstChar, 6);
});

t.test('a code point that comes in two halves is one character', async (t) => {
  const output = new RollingOutput(100, []);
  const bytes = Buffer.from('zürich');
  t.equal(output.take(bytes.subarray(0, 2)), 'z');
  t.equal(output.take(bytes.subarray(2)), 'ürich');
  output.take(Buffer.from([0xc3]));
  t.equal(output.end(), '\ufffd');
  t.equal(output.since(0), 'zürich\ufffd');
});

t.test('very many tiny pieces cost no more than their text', async (t) => {
  const output = new RollingOutput(5000, []);
  for (let at = 0; at < 20_000; at++) output.take(Buffer.from(String(at % 10)));
  t.equal(output.since(0).length, 5000);
  t.ok(output.since(0).endsWith('6789'));
});

t.test('a secret is masked before the window or a reader cuts it', async (t) => {
  const output = new RollingOutput(20, ['sk-0123456789']);
  output.take(Buffer.from(`${'x'.repeat(8)}sk-01234`));
  t.equal(output.since(0), 'x'.repeat(8), 'half of it is not shown');
  output.take(Buffer.from(`56789${'y'.repeat(18)}`));
  t.equal(output.since(0), `t]${'y'.repeat(18)}`);
});
