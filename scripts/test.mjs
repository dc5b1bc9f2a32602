// Started by `npm test` and .ci/run. Everything may be missing: installs and builds first.
//   npm test                          all tests but those of real managers, types, lint
//   npm test -- test/src/core FILE…   only these
//   npm test -- --real                only those of real managers (systemd, s6, containers)
// Ends with a line `N passed, N failed` alone; a warning of Node's counts as a failure.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureOrFail } from './ensure.mjs';
import { runChecks } from './test/checks.mjs';
import { ensureRunner } from './test/ensure-runner.mjs';
import { compiledPath, selectTests } from './test/select.mjs';
import { TapTally } from './test/tap-tally.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FAILED = 1;
const USAGE = 64;
/** one file that kills a hundred processes, on a busy machine */
const FILE_TIMEOUT_SECONDS = 420;
const MAX_JOBS = 8;

async function main(argv) {
  const real = argv.includes('--real');
  const args = argv.filter((arg) => arg !== '--real');
  const { files, unknown } = selectTests({ root, real, args });
  if (unknown !== undefined) {
    console.error(`test: error: expected a test file or a folder of tests, got ${unknown}`);
    process.exitCode = USAGE;
    return;
  }
  if (!(await ensureOrFail())) return;
  ensureRunner(root);
  const scratch = mkdtempSync(join(tmpdir(), 'gatewarden-test-run-'));
  try {
    await runAll({ files, isWhole: !real && args.length === 0, scratch });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runAll({ files, isWhole, scratch }) {
  const warningsFile = join(scratch, 'warnings');
  const [tally, checks] = await Promise.all([
    files.length === 0 ? noTests() : runTap(files, warningsFile),
    isWhole ? runChecks(root) : [],
  ]);
  for (const note of tally.notes) console.log(`note: ${note}`);
  for (const failure of tally.failures) printFailure(failure);
  for (const check of checks) if (!check.isOk) printFailure(failureOf(check));
  const warnings = readWarnings(warningsFile);
  for (const warning of warnings) printFailure(warning);
  printSkipped(tally.skipped);
  const brokenChecks = checks.filter((check) => !check.isOk).length;
  const failed = tally.failed + brokenChecks + warnings.length;
  console.log(`${tally.passed + checks.length - brokenChecks} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = FAILED;
}

function noTests() {
  console.log('no tests of this kind yet');
  return new TapTally();
}

function runTap(files, warningsFile) {
  const collector = pathToFileURL(join(root, 'scripts', 'test', 'collect-warnings.mjs'));
  collector.searchParams.set('to', warningsFile);
  const jobs = Math.min(Math.max(availableParallelism(), 2), MAX_JOBS);
  const args = [
    join(root, 'node_modules', 'tap', 'dist', 'esm', 'run.mjs'),
    'run',
    '--reporter=tap',
    '--no-color',
    `--jobs=${jobs}`,
    `--timeout=${FILE_TIMEOUT_SECONDS}`,
    `--test-env=NODE_OPTIONS=--import=${collector.href}`,
    ...files.map(compiledPath),
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: testEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return tallyOf(child);
}

/** What the person or the service that runs the tests has set must not decide how they end. */
const FOREIGN = ['GATEWARDEN_HOME', 'NOTIFY_SOCKET', 'INVOCATION_ID', 'FORCE_COLOR', 'NO_COLOR'];

function testEnvironment() {
  const entries = Object.entries(process.env).filter(([name]) => !FOREIGN.includes(name));
  return Object.fromEntries(entries);
}

function tallyOf(child) {
  const tally = new TapTally();
  tally.onFile = (name, isOk, time) =>
    console.log(`${isOk ? 'ok  ' : 'FAIL'} ${name} ${time ?? ''}`);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => tally.line(line));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      if (code !== 0 && tally.failed === 0) tally.fail(`the test runner ended with code ${code}`);
      resolve(tally);
    });
  });
}

function readWarnings(file) {
  if (!existsSync(file)) return [];
  const warnings = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return warnings.map(({ argv, stack }) => ({
    name: `a warning from Node in ${argv.join(' ') || 'node -e'}`,
    details: stack.split('\n'),
  }));
}

function failureOf({ name, output }) {
  return { name, details: output.trimEnd().split('\n') };
}

function printFailure({ name, details }) {
  console.log(`\nFAIL ${name}`);
  for (const line of details) console.log(`  ${line}`);
}

function printSkipped(skipped) {
  if (skipped.length > 0) console.log(`\n${skipped.length} skipped:`);
  for (const { name, reason } of skipped) console.log(`  ${name}: ${reason || 'no reason given'}`);
}

await main(process.argv.slice(2));
