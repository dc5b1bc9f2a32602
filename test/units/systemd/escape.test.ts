import fc from 'fast-check';
import t from 'tap';
import {
  escapeArgument,
  escapeAssignment,
  escapePathLine,
  escapePatternLine,
  parseWords,
  unescapePathLine,
  unescapePatternLine,
} from '../../../units/systemd/escape.js';
import { HOSTILE } from '../../support/service-facts.js';

/** What systemd must be given, by hand from systemd.syntax(7) and systemd.service(5). */
const WRITTEN: readonly (readonly [text: string, argument: string, assignment: string])[] = [
  ['plain/word-1', 'plain/word-1', 'N=plain/word-1'],
  ['', '""', 'N='],
  ['a b', '"a b"', '"N=a b"'],
  ['say "x"', '"say \\"x\\""', '"N=say \\"x\\""'],
  ['a\\b', '"a\\\\b"', '"N=a\\\\b"'],
  ['100%', '"100%%"', '"N=100%%"'],
  // a variable is one in a command line only
  ['$HOME', '"$$HOME"', '"N=$HOME"'],
  ['a\nb', '"a\\nb"', '"N=a\\nb"'],
  ['a\rb', '"a\\u000db"', '"N=a\\u000db"'],
  ['-x', '-x', 'N=-x'],
  [';', '";"', '"N=;"'],
  ['ü', '"ü"', '"N=ü"'],
];

t.test('words are written as systemd reads them', async (t) => {
  for (const [text, argument, assignment] of WRITTEN) {
    t.equal(escapeArgument(text), argument);
    t.equal(escapeAssignment('N', text), assignment);
  }
});

t.test('an empty argument stays an argument', async (t) => {
  t.strictSame(parseWords(`a ${escapeArgument('')} b`, { variables: true }), ['a', '', 'b']);
});

for (const [name, text] of Object.entries(HOSTILE)) {
  t.test(`${name}: what is written is one line and reads back the same`, async (t) => {
    const argument = escapeArgument(text);
    t.notMatch(argument, '\n');
    t.strictSame(parseWords(`x ${argument} y`, { variables: true }), ['x', text, 'y']);
    const assignment = escapeAssignment('NAME', text);
    t.notMatch(assignment, '\n');
    t.strictSame(parseWords(assignment, { variables: false }), [`NAME=${text}`]);
  });
}

t.test('any text without a zero byte survives as an argument', async (t) => {
  const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')));
  fc.assert(
    fc.property(texts, (words) => {
      const line = words.map(escapeArgument).join(' ');
      return (
        !line.includes('\n') &&
        JSON.stringify(parseWords(line, { variables: true })) === JSON.stringify(words)
      );
    }),
  );
  t.pass('held');
});

t.test('a zero byte is refused, because no process can be given one', async (t) => {
  t.throws(() => escapeArgument('a\0b'), { code: 'unit-value-refused' });
});

t.test('a path that is a whole line has specifiers and nothing else', async (t) => {
  for (const path of ['/a b', '/100%', '/a"b', "/it's", '/a\\b', '/$HOME', '/ü', '/-x']) {
    t.equal(unescapePathLine(escapePathLine(path)), path);
  }
  t.equal(escapePathLine('/100% "x"'), '/100%% "x"');
});

t.test('a path that such a line cannot hold is refused, never bent', async (t) => {
  for (const path of ['/a\nb', '/a\tb', '/a ', '/a\\', '/\u0085x', '/a\u00a0']) {
    t.throws(() => escapePathLine(path), { code: 'unit-value-refused', exitCode: 78 }, path);
  }
});

t.test('a file whose name looks like a pattern is that file', async (t) => {
  t.equal(escapePatternLine('/a*b[1]?'), '/a\\*b\\[1\\]\\?');
  for (const path of ['/a*b', '/[x]', '/a?b', '/a\\b', '/50%*']) {
    t.equal(unescapePatternLine(escapePatternLine(path)), path);
  }
});
