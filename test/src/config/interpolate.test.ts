import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { escapeReferences, interpolate } from '../../../src/config/interpolate.js';
import { renderProblems } from '../../../src/config/problems.js';
import type { Scalar } from '../../../src/config/tree.js';
import { homeWith, loadOne, problemsOfOne, profileOf } from '../../support/config-home.js';

function scalar(value: string): Scalar {
  const at = { file: 'config.yaml', line: 1 };
  return { kind: 'scalar', at, value, source: value, secret: false };
}

function resolveText(text: string, values: Readonly<Record<string, string>> = {}) {
  const scope = { owner: 'profile x', values: new Map(Object.entries(values)), lookedIn: ['.env'] };
  const { tree, problems, revealed } = interpolate(scalar(text), scope);
  return { ...(tree as Scalar), problems, revealed: [...revealed] };
}

t.test('a text written with escapes reads back as itself', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[$${}A]{0,12}$/),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, (text) => {
      const { value, problems, secret } = resolveText(escapeReferences(text));
      return value === text && problems.length === 0 && !secret;
    }),
  );
});

t.test('a value is taken as it is, whatever stands in it', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (value, around) => {
      const before = escapeReferences(around);
      fc.pre(!before.endsWith('$'));
      const found = resolveText(`${before}\${NAME}`, { NAME: value });
      return found.value === around + value && found.secret && found.revealed.includes(value);
    }),
  );
});

for (const [text, told] of [
  ['${}', /\$\{NAME\}, or \$\$\{/],
  ['${', /\$\{NAME\}/],
  ['${A', /\$\{NAME\}/],
  ['${A-B}', /no defaults and no nesting/],
  ['${A:-b}', /no defaults and no nesting/],
  ['${${A}}', /no defaults and no nesting/],
  ['${A}', /a value for \$\{A\} of profile x, got none\n +looked in \.env; add the line A=/],
  ['${__proto__}', /a value for/],
  ['${constructor}', /a value for/],
] as const) {
  t.test(`${text} without a value is a problem that says what to do`, async (t) => {
    const { problems } = resolveText(text);
    t.match(renderProblems(problems), told);
  });
}

t.test('a dollar sign alone means itself', async (t) => {
  for (const text of ['$', '$A', '$$', '$$A', 'a$', '$ {A}'])
    t.equal(resolveText(text).value, text);
});

t.test('secrets come from the profile’s own files and never from our environment', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': 'env: {A: "${PATH}"}\n' });
  t.match(profileOf(home), {
    kind: 'bad',
    problems: [
      {
        key: 'env.A',
        expected: 'a value for ${PATH} of profile one',
        hint: /profiles\/one\/\.env/,
      },
    ],
  });
});

t.test('one profile never sees the secrets of another', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'env: {A: "${TOKEN}"}\n',
    'profiles/two/.env': 'TOKEN=x\n',
    '.env': 'TOKEN=x\n',
  });
  t.match(profileOf(home), { kind: 'bad', problems: [{ key: 'env.A' }] });
});

t.test('environment files are read after .env, in order, and the first value wins', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml':
      'env_files: [a.env, /dev/null/../nothing, b.env]\nenv: {A: "${A}", B: "${B}", C: "${C}"}\n'.replace(
        '/dev/null/../nothing, ',
        '',
      ),
    'profiles/one/.env': 'A=1\n',
    'profiles/one/a.env': 'A=2\nB=2\n',
    'profiles/one/b.env': 'A=3\nB=3\nC=3\n',
  });
  const loaded = profileOf(home);
  t.equal(loaded.kind, 'good');
  if (loaded.kind !== 'good') return;
  t.strictSame(
    loaded.config.secrets.map((secret) => secret.reveal()),
    ['1', '2', '3'],
  );
});

t.test('an environment file that is named and missing is a problem', async (t) => {
  t.match(problemsOfOne(t, 'env_files: [gone.env]\n'), [
    { file: /gone\.env$/, expected: 'the file that env_files names', got: 'none' },
  ]);
});

t.test('a name of an environment file is never a secret itself', async (t) => {
  t.match(problemsOfOne(t, 'env_files: ["${A}.env"]\n', 'A=b\n'), [{ key: 'env_files[0]' }]);
});

t.test('a .env that everyone can read is refused with the remedy', async (t) => {
  const home = homeWith(t, { 'profiles/one/.env': 'A=b\n' });
  const file = join(home, 'profiles/one/.env');
  chmodSync(home, 0o755);
  for (const [mode, kind] of [
    [0o644, 'bad'],
    [0o604, 'bad'],
    [0o640, 'good'],
    [0o600, 'good'],
  ] as const) {
    chmodSync(file, mode);
    t.equal(profileOf(home).kind, kind, mode.toString(8));
  }
  chmodSync(file, 0o644);
  t.match(profileOf(home), { problems: [{ hint: `close it with: chmod 600 ${file}` }] });
});

t.test('a .env with an open mode is accepted where a directory keeps the others out', async (t) => {
  const home = homeWith(t, { 'profiles/one/.env': 'A=b\n' });
  chmodSync(join(home, 'profiles/one/.env'), 0o644);
  for (const closed of ['.', 'profiles', 'profiles/one']) {
    for (const directory of ['.', 'profiles', 'profiles/one']) {
      chmodSync(join(home, directory), directory === closed ? 0o750 : 0o755);
    }
    t.equal(profileOf(home).kind, 'good', closed);
    chmodSync(join(home, closed), 0o751);
    t.equal(profileOf(home).kind, 'bad', `${closed}, which others may pass`);
  }
});

t.test('a link to an open .env does not count as closed', async (t) => {
  const open = homeWith(t, { '.env': 'A=b\n' });
  const home = homeWith(t, { 'profiles/one/config.yaml': '' });
  chmodSync(open, 0o755);
  chmodSync(join(open, '.env'), 0o644);
  symlinkSync(join(open, '.env'), join(home, 'profiles/one/.env'));
  t.equal(profileOf(home).kind, 'bad');
});

t.test('a missing .env is told with the mode that it wants', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': 'env: {A: "${B}"}' });
  const file = join(home, 'profiles/one/.env');
  const hint = `looked in ${file}; create it with mode 600 and the line B=…`;
  t.match(profileOf(home), { problems: [{ hint }] });
  // as the remedy is typed by most, in the directory that we make
  writeFileSync(file, 'B=c\n', { mode: 0o644 });
  t.equal(profileOf(home).kind, 'good');
});

t.test('a broken line of .env is told by its number and never by its value', async (t) => {
  const problems = problemsOfOne(t, '', 'GOOD=1\nsuper secret words\nBAD="hunter2\n');
  t.strictSame(
    problems.map(({ line, key }) => [line, key]),
    [
      [2, ''],
      [3, 'BAD'],
    ],
  );
  t.notMatch(renderProblems(problems), /hunter2|super secret/);
});

t.test('text that came from a secret shows as [secret] in every problem', async (t) => {
  const problems = problemsOfOne(
    t,
    'enabled: "${S}"\nlimits: {memory: "${S}"}\nagent: {driver: "${S}"}\ncommand: "${S}"\nplatforms: {api_server: {port: "${S}", host: "${S} x"}}\n',
    'S=hunter2-hunter2\n',
  );
  t.equal(problems.length >= 6, true);
  t.notMatch(renderProblems(problems), /hunter2/);
  t.match(renderProblems(problems), /\[secret\]/);
});

t.test('keys that hold secrets by their name show as [secret] too', async (t) => {
  const text = `agent: {driver: openai, model: m, api_key: "hunter2 hunter2"}
platforms: {api_server: {key: "hunter2 hunter2"}}
env: {A: [hunter2], "B C": hunter2}
`;
  t.notMatch(renderProblems(problemsOfOne(t, text)), /hunter2/);
});

t.test('a syntax error never quotes the file', async (t) => {
  for (const text of [
    'env: {A: "hunter2\n',
    'A: hunter2: b\n',
    '- hunter2\nb: c\n',
    'a: *hunter2x',
  ]) {
    const shown = renderProblems(problemsOfOne(t, text));
    t.not(shown, '');
    if (!text.includes('*')) t.notMatch(shown, /hunter2/);
  }
});

t.test('a composed secret and its parts are both known for masking', async (t) => {
  const config = loadOne(
    t,
    'agent: {driver: openai, base_url: "http://127.0.0.1:1", model: m, api_key: "Key-${A}"}\n',
    'A=part-of-it\n',
  );
  const texts = config.secrets.map((secret) => secret.reveal());
  t.strictSame(texts.sort(), ['Key-part-of-it', 'part-of-it']);
});
