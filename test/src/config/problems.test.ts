import fc from 'fast-check';
import t from 'tap';
import { editDistance, nearest } from '../../../src/config/nearest.js';
import { quote, renderProblems } from '../../../src/config/problems.js';
import { problemsOfOne } from '../../support/config-home.js';

t.test('a problem reads as a place, an expectation, what came, and a hint', async (t) => {
  const text = renderProblems([
    { file: '/h/c.yaml', line: 3, key: 'a.b', expected: 'x', got: 'y', hint: 'do z' },
    { file: '/h/.env', line: undefined, key: '', expected: 'x', got: 'y', hint: undefined },
  ]);
  t.equal(
    text,
    '  /h/c.yaml:3: a.b:\n    expected x, got y\n    do z\n  /h/.env:\n    expected x, got y',
  );
});

t.test('what came is shown on one line, short, and without control characters', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const shown = quote(text);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not appear
      return !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(shown) && shown.length < 800;
    }),
  );
  t.equal(quote('a'.repeat(1000)), `"${'a'.repeat(60)}…"`);
  t.equal(quote('\u001b[31m'), '"\\u001b[31m"');
});

t.test('an unknown key with odd characters cannot forge lines of the message', async (t) => {
  const shown = renderProblems(problemsOfOne(t, '"a\\nexpected b\\e[31m": 1\n'));
  t.notMatch(shown, /\nexpected b/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape must not reach a terminal
  t.notMatch(shown, /\u001b/);
});

t.test('a password in a URL is not shown', async (t) => {
  for (const url of [
    'http://u:hunter2@h/',
    'ftp://h/?api_key=hunter2&x=1',
    'x://h?token=hunter2',
  ]) {
    const text = `agent: {driver: openai, model: m, base_url: "${url}"}\n`;
    t.notMatch(renderProblems(problemsOfOne(t, text)), /hunter2/, url);
  }
});

t.test('the edit distance is a distance', async (t) => {
  const word = fc.stringMatching(/^[abc]{0,6}$/);
  fc.assert(
    fc.property(word, word, (left, right) => {
      const distance = editDistance(left, right);
      return (
        distance === editDistance(right, left) &&
        (distance === 0) === (left === right) &&
        distance <= Math.max(left.length, right.length) &&
        distance >= Math.abs(left.length - right.length)
      );
    }),
  );
  t.equal(editDistance('prot', 'port'), 1, 'a swap of neighbours is one slip');
  t.equal(editDistance('', 'abc'), 3);
});

t.test('the nearest word is one that could have been meant, or none', async (t) => {
  const words = ['port', 'host', 'drain_seconds', 'max_restarts'];
  t.equal(nearest('prot', words), 'port');
  t.equal(nearest('Host', words), 'host');
  t.equal(nearest('drain', words), 'drain_seconds');
  t.equal(nearest('maxRestarts', words), 'max_restarts');
  t.equal(nearest('telegram', words), undefined);
  t.equal(nearest('x', []), undefined);
});
