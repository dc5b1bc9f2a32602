import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../../src/config/index.js';
import type { ConfigProblem } from '../../../src/config/model.js';
import { homeWith, problemsOfOne, profileOf } from '../../support/config-home.js';

/** A configuration is read in milliseconds; what takes this long would starve the supervisor. */
const PATIENCE_MS = 15_000;

function textOf(problems: readonly ConfigProblem[]): string {
  return problems.map(({ expected, got, hint }) => `${expected}; ${got}; ${hint}`).join('\n');
}

const explodingAliases = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    { length: 12 },
    (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(', ')}]`,
  ),
].join('\n');

const HOSTILE: readonly (readonly [what: string, text: string | Buffer, told: RegExp])[] = [
  ['10 MB of YAML', `x: ${'y'.repeat(10_000_000)}`, /at most 1048576 bytes; 10000003 bytes/],
  ['aliases that explode', explodingAliases, /at most 20000 values with every alias written out/],
  ['an alias inside of its own anchor', 'env: &a\n  x: *a\n', /an anchor that stands before it/],
  ['an alias of nothing', 'env: *nothing\n', /an anchor that stands before it/],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]), /UTF-8 text/],
  ['UTF-16', Buffer.from('\ufeffenabled: true\n', 'utf16le'), /UTF-8 text/],
  ['a tab as indentation', 'env:\n\tA: b\n', /blanks as indentation; a tab/],
  ['two documents', 'enabled: true\n---\nenabled: false\n', /one document; several/],
  ['a list at the top', '- a\n- b\n', /a mapping of keys to values; a list/],
  ['a text at the top', 'hello\n', /a mapping of keys to values; a single value/],
  ['a key twice', 'enabled: true\nenabled: false\n', /each key once; .*line 1/],
  ['a key twice in another spelling', 'enabled: true\n"enabled": false\n', /each key once/],
  ['a tag of its own', 'user: !shell id\n', /without a tag/],
  ['a tag of JavaScript', 'user: !!js/function "x"\n', /without a tag/],
  ['binary data', 'user: !!binary aGk=\n', /without a tag/],
  ['YAML 1.1', '%YAML 1.1\n---\nenabled: yes\n', /YAML 1\.2/],
  ['an unclosed quote', 'user: "x\n', /closing quote/],
  ['an unclosed bracket', 'command: [a, b\n', /./],
  ['a mapping as a key', '{a: b}: c\n', /./],
  ['100,000 open brackets', '['.repeat(100_000), /levels of nesting/],
  ['100,000 open braces', '{a: '.repeat(100_000), /levels of nesting/],
  ['100,000 list dashes', '- '.repeat(100_000), /levels of nesting/],
  ['100,000 question marks', '? '.repeat(100_000), /levels of nesting/],
  [
    'mappings in mappings in mappings',
    Array.from({ length: 1200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    /levels of nesting/,
  ],
  [
    'mappings 40 levels deep',
    Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    /levels of nesting/,
  ],
  [
    '15,000 keys that nobody knows',
    Array.from({ length: 15_000 }, (_, index) => `key${index}: ${index}`).join('\n'),
    /a known key/,
  ],
  [
    '60,000 keys',
    Array.from({ length: 60_000 }, (_, index) => `key${index}: ${index}`).join('\n'),
    /at most 20000 values/,
  ],
  ['not a number', 'drain_seconds: .nan\n', /a number of seconds.*"\.nan"; write plain/],
  ['infinity', 'drain_seconds: .inf\n', /a number of seconds.*"\.inf"; write plain/],
  ['a hexadecimal number', 'drain_seconds: 0x10\n', /a number of seconds.*"0x10"; write plain/],
  ['an octal number', 'drain_seconds: 0o17\n', /a number of seconds.*"0o17"; write plain/],
  ['a number that may be octal', 'drain_seconds: 017\n', /a number of seconds.*"017"; write/],
  ['a huge number', `drain_seconds: 1${'0'.repeat(400)}\n`, /a number of seconds/],
  ['a number beyond the longest timer', 'drain_seconds: 2147484\n', /from 0 to 2147483/],
  ['a number beyond exact integers', 'limits: {processes: 9007199254740993}\n', /whole number/],
  ['half a process', 'limits: {processes: 1.5}\n', /a whole number/],
  ['a negative time', 'drain_seconds: -1\n', /a number of seconds from 0.*; -1(?!; text)/],
  ['a yes', 'enabled: yes\n', /true or false; "yes"; YAML has no other/],
  ['a quoted number', 'drain_seconds: "5"\n', /numbers stand without quotes/],
  ['a size without a unit', 'limits: {memory: 512}\n', /a size such as 512MiB.*; 512(?!; text)/],
  ['a size in another unit', 'limits: {memory: 512MB}\n', /"512MB"; write 512MiB/],
  ['a size of nothing', 'limits: {memory: 0MiB}\n', /a size such as 512MiB/],
  ['a null section', 'platforms:\n', /nothing \(null\); give it a value, or remove the key/],
  ['a null value', 'drain_seconds:\n', /nothing \(null\); give it a value/],
  ['a list for a mapping', 'platforms: [telegram]\n', /a mapping of keys to values; a list/],
  ['a mapping for a text', 'user: {name: bot}\n', /text; a mapping/],
  ['the key __proto__', '__proto__: {enabled: false}\n', /a known key/],
  ['the key constructor', 'constructor: {prototype: {x: 1}}\n', /a known key/],
  ['a nested __proto__', 'platforms: {__proto__: {x: 1}}\n', /a known key/],
  ['__proto__ in env', 'env: {__proto__: x}\n', /a name that is free/],
  ['a name in env with =', 'env: {"A=B": x}\n', /a name of A-Z/],
  ['a NUL in env', 'env: {A: "x\\0y"}\n', /NUL/],
  ['a NUL in a command', 'command: ["a\\0b"]\n', /NUL/],
  ['an empty command', 'command: []\n', /a list of texts, first the program/],
  ['a command without a name', 'command: [""]\n', /a program as the first text/],
  ['a command as one text', 'command: python3 bot.py\n', /a list of texts/],
  ['a number in a command', 'command: [sleep, 5]\n', /put numbers in quotes/],
];

for (const [what, text, told] of HOSTILE) {
  t.test(`${what} is refused with a problem that says so`, { timeout: PATIENCE_MS }, async (t) => {
    const home = homeWith(t, { 'profiles/one/config.yaml': text, 'profiles/two/config.yaml': '' });
    const bad = profileOf(home);
    t.equal(bad.kind, 'bad');
    t.match(textOf(bad.kind === 'bad' ? bad.problems : []), told);
    t.equal(profileOf(home, 'two').kind, 'good', 'the other profile never noticed');
    t.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype was touched');
  });
}

t.test('a config file that is a directory is refused', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml/file': '' });
  t.match(profileOf(home), { problems: [{ expected: 'a regular file', got: 'a directory' }] });
});

t.test('a fifo in place of a config file is refused and never waited for', async (t) => {
  const home = homeWith(t, { 'profiles/one/x': '' });
  execFileSync('mkfifo', [join(home, 'profiles/one/config.yaml')]);
  t.match(profileOf(home), { problems: [{ expected: 'a regular file', got: 'a special file' }] });
});

t.test('a device in place of a config file is refused', async (t) => {
  const home = homeWith(t, { 'profiles/one/x': '' });
  symlinkSync('/dev/zero', join(home, 'profiles/one/config.yaml'));
  t.match(profileOf(home), { problems: [{ expected: 'a regular file', got: 'a special file' }] });
});

t.test('a symbolic link that leads to itself is refused', async (t) => {
  const home = homeWith(t, { 'profiles/one/x': '' });
  symlinkSync('config.yaml', join(home, 'profiles/one/config.yaml'));
  t.match(profileOf(home), { problems: [{ got: 'a loop of symbolic links (ELOOP)' }] });
});

t.test('a symbolic link to a config file elsewhere is followed', async (t) => {
  const home = homeWith(t, { 'profiles/one/x': '', 'shared.yaml': 'drain_seconds: 3\n' });
  symlinkSync('../../shared.yaml', join(home, 'profiles/one/config.yaml'));
  t.match(profileOf(home), { kind: 'good', config: { drainMs: 3000 } });
});

t.test('a config file without permission is refused, for whom permissions count', async (t) => {
  if (process.getuid?.() !== 0) {
    const home = homeWith(t, { 'profiles/one/config.yaml': '' });
    chmodSync(join(home, 'profiles/one/config.yaml'), 0);
    t.match(profileOf(home), { problems: [{ got: /no permission/ }] });
    return;
  }
  // root may read everything: ask a child that is nobody
  const home = homeWith(t, { 'profiles/one/config.yaml': '' });
  chmodSync(home, 0o755);
  chmodSync(join(home, 'profiles/one/config.yaml'), 0o600);
  const door = new URL('../../../src/config/index.js', import.meta.url).href;
  // everything of the package is read before the privileges are dropped
  const script = `
    const { loadConfig } = await import(${JSON.stringify(door)});
    const load = () => [...loadConfig(${JSON.stringify(home)}, {}).profiles.values()];
    load(); process.setgid(65534); process.setuid(65534);
    console.log(JSON.stringify(load()));`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.match(JSON.parse(stdout), [{ problems: [{ got: 'no permission to read it (EACCES)' }] }]);
});

t.test('a byte order mark and Windows line ends are read', async (t) => {
  t.strictSame(problemsOfOne(t, '\ufeffenabled: true\r\ndrain_seconds: 5\r\n'), []);
});

t.test('aliases that do not explode are read', async (t) => {
  const text = 'env: &e {A: b}\nlimits: &l {processes: 3}\n';
  t.strictSame(problemsOfOne(t, text), []);
});

t.test('long texts with many brackets are read', async (t) => {
  const prompt = 'Answer as JSON: {"a": [1, 2], "b": {"c": []}}. '.repeat(200);
  const text = `agent:\n  driver: openai\n  base_url: http://127.0.0.1:1/v1\n  model: m\n  system_prompt: |\n    ${prompt}\n`;
  t.strictSame(problemsOfOne(t, text), []);
});

t.test('a bad host file is refused in the same words', async (t) => {
  for (const [what, text, told] of HOSTILE.slice(0, 12)) {
    const home = homeWith(t, { 'config.yaml': text });
    t.throws(
      () => loadConfig(home, {}),
      { code: 'config-invalid', message: new RegExp(told.source.split(';')[0] ?? '') },
      what,
    );
  }
});

t.test('a home whose path holds every odd character is read', async (t) => {
  const home = join(homeWith(t, {}), 'a b\'"$%\\ü\n{x}');
  mkdirSync(join(home, 'profiles/one'), { recursive: true });
  t.equal(profileOf(home).kind, 'good');
});
