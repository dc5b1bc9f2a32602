import t from 'tap';
import { parseCommandLine } from '../../../src/cli/program.js';
import { GLOBAL_OPTIONS } from '../../../src/cli/verbs/words.js';
import { VERBS } from '../../../src/cli/verbs.js';
import { readSource } from '../../support/sources.js';

const page = readSource('docs/cli.md');

t.test('docs/cli.md has every verb under its own heading, and no other', async (t) => {
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map((match) => match[1] ?? '');
  t.strictSame(headings.sort(), VERBS.map((verb) => verb.name).sort());
  const places = [...page.matchAll(/^<!-- table: (.+) -->$/gm)].map((match) => match[1] ?? '');
  t.strictSame(
    places.sort(),
    [...VERBS.map((verb) => verb.name), 'verbs', 'everywhere'].sort(),
    'each with a table that is made from the sources',
  );
});

t.test('docs/cli.md shows no option in an example that does not exist', async (t) => {
  const known = new Set([
    ...VERBS.flatMap((verb) => verb.options.map((option) => option.long)),
    ...GLOBAL_OPTIONS.map((option) => option.long),
    'version',
  ]);
  const lines = page.split('\n').filter((line) => /gatewarden /.test(line));
  const shown = lines.flatMap((line) =>
    [...line.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map((match) => match[1] ?? ''),
  );
  t.strictSame(
    [...new Set(shown)].filter((long) => !known.has(long)),
    [],
  );
});

for (const verb of VERBS) {
  t.test(`gatewarden ${verb.name} --help names all it takes`, async (t) => {
    const parsed = parseCommandLine([...verb.name.split(' '), '--help'], 100);
    if (parsed.kind !== 'text') throw new Error(`got ${parsed.kind}`);
    for (const { long } of [...verb.options, ...GLOBAL_OPTIONS]) t.match(parsed.text, `--${long}`);
    for (const { name } of verb.arguments) t.match(parsed.text, name);
    for (const example of verb.examples) t.match(parsed.text, example);
  });

  t.test(`the examples of gatewarden ${verb.name} are command lines that parse`, async (t) => {
    for (const example of verb.examples) {
      const words = /gatewarden ([^|>)]*)/.exec(example)?.[1]?.trim().split(/\s+/) ?? [];
      const parsed = parseCommandLine(words, 100);
      t.equal(parsed.kind === 'run' ? parsed.verb.name : parsed.kind, verb.name, example);
    }
  });

  t.test(`gatewarden ${verb.name} loads what runs it`, async (t) => {
    t.type((await verb.load()).run, 'function');
  });
}

t.test('every verb that only reads has --json', async (t) => {
  const reading = /^(status|why|history|events|logs|doctor|version|profile (list|show)|config .*)$/;
  const without = VERBS.filter(
    (verb) => reading.test(verb.name) && !verb.options.some((option) => option.long === 'json'),
  );
  t.strictSame(without, []);
});

t.test('options are read by their kind, wherever they stand', async (t) => {
  const parsed = parseCommandLine(
    ['-q', 'logs', '-p', 'coder', '-fn', '20', '--home', '/srv/x', '--no-color'],
    80,
  );
  if (parsed.kind !== 'run') throw new Error(`got ${parsed.kind}`);
  t.match(parsed.invocation, {
    verb: 'logs',
    words: ['coder'],
    profile: 'coder',
    options: { follow: true, lines: 20 },
  });
  t.strictSame(parsed.globals, { home: '/srv/x', quiet: true, verbose: false, color: false });
});

t.test('--no-wait is a flag of its own, not the absence of --wait', async (t) => {
  const waiting = parseCommandLine(['stop', 'a'], 80);
  const leaving = parseCommandLine(['stop', 'a', '--no-wait'], 80);
  if (waiting.kind !== 'run' || leaving.kind !== 'run') throw new Error('not parsed');
  t.equal(waiting.invocation.options['no-wait'], false);
  t.equal(leaving.invocation.options['no-wait'], true);
});
