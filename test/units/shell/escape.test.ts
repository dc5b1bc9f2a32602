import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { parseShellWords, quoteShell } from '../../../units/shell/escape.js';
import { HOSTILE } from '../../support/service-facts.js';

t.test('a real shell gets exactly the texts that were quoted', async (t) => {
  const texts = Object.values(HOSTILE);
  const script = `for one in ${texts.map(quoteShell).join(' ')}; do printf '%s\\0' "$one"; done`;
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  t.strictSame(output.split('\0').slice(0, -1), texts);
});

for (const [name, text] of Object.entries(HOSTILE)) {
  t.test(`${name}: quoted and read back it is the same`, async (t) => {
    t.strictSame(parseShellWords(`a ${quoteShell(text)} b`), ['a', text, 'b']);
  });
}

t.test('any text without a zero byte reads back the same', async (t) => {
  const text = fc.string({ unit: 'binary' }).map((one) => one.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(text), (words) => {
      const read = parseShellWords(words.map(quoteShell).join(' '));
      return JSON.stringify(read) === JSON.stringify(words);
    }),
  );
  t.pass('held');
});

t.test('a line that means more than its words is not read as words', async (t) => {
  for (const line of ['a; b', 'a && b', '"$HOME"', 'a > b', '$(id)', '`id`']) {
    t.equal(parseShellWords(line), undefined, line);
  }
});

t.test('a zero byte is refused', async (t) => {
  t.throws(() => quoteShell('a\0b'), { code: 'unit-value-refused' });
});
