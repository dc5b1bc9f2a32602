import t from 'tap';
import { EXIT_CLASSES } from '../../src/core/exit-codes.js';
import { filesBelow, productFiles, readSource, withoutComments } from '../support/sources.js';

const HOME_OF_DIGITS = 'src/core/exit-codes.ts';

const files = [
  ...productFiles(),
  ...filesBelow('scripts', '.mjs'),
  ...filesBelow('bin', '.js'),
  ...filesBelow('bench', '.ts'),
].filter((file) => file !== HOME_OF_DIGITS);

/** Lines where such a number is something else, or cannot be a name; each with its reason. */
const ALLOWED: readonly (readonly [file: string, line: RegExp, reason: string])[] = [
  [
    'bin/gatewarden.js',
    /CONFIG_REFUSAL = 78/,
    'runs on a Node that may be too old to import the table',
  ],
  ['src/core/errors.ts', /at most 64\)/, 'the length of a profile name'],
  ['supervisor/containment/gauge-facts.ts', /ALARM_PROCESSES = 64/, 'a number of processes'],
  ['scripts/test.mjs', /USAGE = 64/, 'runs before anything is built'],
];

function linesWith(pattern: RegExp): string[] {
  return files.flatMap((file) =>
    withoutComments(readSource(file))
      .split('\n')
      .filter((line) => pattern.test(line) && !isAllowed(file, line))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

/** A constant whose name tells what it counts is no exit code. */
const COUNTS_SOMETHING = /\b[A-Z_]*(LENGTH|BYTES|CHARS|LINES|MS|SECONDS|COUNT|PIDS)\b.* = \d/;

function isAllowed(file: string, line: string): boolean {
  if (COUNTS_SOMETHING.test(line)) return true;
  return ALLOWED.some(([where, pattern]) => where === file && pattern.test(line));
}

t.test('a process ends with a name from the table, never with a digit', async (t) => {
  t.strictSame(linesWith(/process\.exit\(\s*\d|\bexitCode\s*[:=]\s*\d/), []);
});

t.test('the digits of the contract stand in one file', async (t) => {
  const digits = Object.values(EXIT_CLASSES)
    .map((row) => row.code)
    // too common as plain numbers to be searched for
    .filter((code) => code > 1);
  const alone = new RegExp(`(?<![\\w.#%-])(${digits.join('|')})(?![\\w.%]|,\\d| ?\\*| ?<<)`);
  t.strictSame(linesWith(alone), []);
});

t.test('every exception is still needed', async (t) => {
  const idle = ALLOWED.filter(
    ([file, line]) =>
      !readSource(file)
        .split('\n')
        .some((one) => line.test(one)),
  );
  t.strictSame(
    idle.map(([file]) => file),
    [],
  );
});
