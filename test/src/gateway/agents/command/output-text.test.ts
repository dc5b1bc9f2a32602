import t from 'tap';
import { OutputText } from '../../../../../src/gateway/agents/command/output-text.js';

t.test('bytes one by one give the same text as all at once', async (t) => {
  const bytes = Buffer.from('naïve 🐙\r\nsecond\n\n');
  const output = new OutputText(1000);
  const shown = [...bytes].map((byte) => output.take(Buffer.from([byte])));
  shown.push(output.end());
  t.equal(shown.join(''), 'naïve 🐙\r\nsecond');
  t.equal(output.text, shown.join(''));
});

t.test('half a code point at the end becomes a replacement character', async (t) => {
  const output = new OutputText(1000);
  t.equal(output.take(Buffer.from([0x61, 0xf0, 0x9f])), 'a');
  t.equal(output.end(), '�');
});

t.test('more than the limit is cut, and only then', async (t) => {
  const output = new OutputText(4);
  t.equal(output.take(Buffer.from('abcd\n')), 'abcd');
  t.equal(output.isCut, false);
  t.equal(output.take(Buffer.from('e')), '');
  t.equal(output.isCut, true);
});
