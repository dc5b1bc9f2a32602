import t from 'tap';
import { compileLinearPattern } from '../../../src/core/linear-pattern.js';

t.test('a linear pattern finds what the plain one finds', async (t) => {
  for (const [source, line] of [
    ['listening on port \\d+', 'listening on port 8080'],
    ['^(?:ready|up)$', 'up'],
    ['\\bbot \\d{4}\\b', 'this is bot 2024, hello'],
    ['(?<word>[\\p{L}a-z]+)!', 'hello!'],
  ] as const) {
    t.ok(compileLinearPattern(source).test(line), source);
    t.notOk(compileLinearPattern(source).test(`no ${line.toUpperCase()} 2`), source);
  }
});

t.test('nested repetitions over a long line end at once', async (t) => {
  // on the default engine these take 2 to the power of the length
  for (const source of ['(a+)+$', '(a|a)*b', '(a*)*b', '(.*)*x']) {
    t.notOk(compileLinearPattern(source).test(`${'a'.repeat(5000)}!`), source);
  }
});

t.test('what linear time cannot give is refused', async (t) => {
  for (const source of ['(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b', '(a)\\1', 'a{1,1000}', '(']) {
    t.throws(() => compileLinearPattern(source), SyntaxError, source);
  }
});
