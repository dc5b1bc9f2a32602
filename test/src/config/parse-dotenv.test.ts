import fc from 'fast-check';
import t from 'tap';
import { parseDotenv } from '../../../src/config/parse-dotenv.js';

for (const [line, value] of [
  ['A=b', 'b'],
  ['  A=b  ', 'b'],
  ['export A=b', 'b'],
  ['A=', ''],
  ['A=b c', 'b c'],
  ['A=b # comment', 'b'],
  ['A=b#c', 'b#c'],
  ['A= # comment', ''],
  ["A='b # c'", 'b # c'],
  ["A='b' # c", 'b'],
  ["A='\\n$B'", '\\n$B'],
  ['A="b # c"', 'b # c'],
  ['A="b\\nc"', 'b\nc'],
  ['A="\\"\\\\\\$\\t\\r"', '"\\$\t\r'],
  ['A=$B ${C}', '$B ${C}'],
  ['A=b=c', 'b=c'],
  ["A=it's", "it's"],
  ['A=ü', 'ü'],
] as const) {
  t.test(`${JSON.stringify(line)} is read`, async (t) => {
    const { values, faults } = parseDotenv(line);
    t.strictSame(faults, []);
    t.equal(values.get('A'), value);
  });
}

for (const line of [
  'A',
  'A b',
  'A =b',
  '1A=b',
  'A-B=c',
  '=b',
  'exportA b',
  'A="b',
  "A='b",
  'A="b" c',
  "A='b'c",
  'A="\\x41"',
  'A="b\\',
  'A=b\0c',
]) {
  t.test(`${JSON.stringify(line)} is a fault, told by line and without its value`, async (t) => {
    const { values, faults } = parseDotenv(`# first\n\n${line}\n`);
    t.equal(values.size, 0);
    t.equal(faults.length, 1);
    t.equal(faults[0]?.line, 3);
  });
}

t.test('a second value for a name is a fault, not a surprise', async (t) => {
  const { values, faults } = parseDotenv('A=1\nA=2\n');
  t.equal(values.get('A'), '1');
  t.match(faults, [{ line: 2, name: 'A', got: 'a second one' }]);
});

t.test('Windows line ends and a last line without one are read', async (t) => {
  t.strictSame(
    [...parseDotenv('A=1\r\nB=2').values],
    [
      ['A', '1'],
      ['B', '2'],
    ],
  );
});

t.test('the name __proto__ is a name like any other', async (t) => {
  t.equal(parseDotenv('__proto__=x').values.get('__proto__'), 'x');
});

t.test('every value can be written in double quotes', async () => {
  const escapes: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '"': '\\"',
    '\\': '\\\\',
    $: '\\$',
  };
  const quoted = (value: string) =>
    `"${value.replace(/[\n\r\t"\\$]/g, (character) => escapes[character] ?? '')}"`;
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      fc.pre(!value.includes('\0'));
      const { values, faults } = parseDotenv(`A=${quoted(value)} # end\nB=1\n`);
      return faults.length === 0 && values.get('A') === value && values.get('B') === '1';
    }),
  );
});

t.test('no text makes the reader fail', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const lines = text.split('\n').length;
      return parseDotenv(text).faults.every(({ line }) => line >= 1 && line <= lines);
    }),
  );
});
