import t from 'tap';
import { parseCommandLine } from '../../../src/cli/program.js';
import { GatewardenError, renderError } from '../../../src/core/errors.js';
import { CLI_EXIT, STATUS_EXIT } from '../../../src/core/exit-codes.js';
import { runBinary, scratchHome } from '../../support/run-cli.js';

t.jobs = 2;

/** Bad command lines, and what the person is told. */
const REFUSED: readonly (readonly [line: string, says: RegExp])[] = [
  ['statsu', /got statsu \(unknown-verb\)\n {2}next: did you mean: gatewarden status\n$/],
  ['frobnicate', /got frobnicate \(unknown-verb\)\n {2}next: see the verbs with/],
  ['help bogus', /got bogus \(unknown-verb\)\n {2}next: see the verbs with/],
  ['help statsu', /got statsu \(unknown-verb\)\n {2}next: did you mean: gatewarden status\n$/],
  ['status --jsn', /got --jsn \(bad-argument\)\n {2}next: did you mean --json\?/],
  ['status ../x', /got "\.\.\/x" \(bad-profile-name\)\n {2}next: /],
  ['status -p ../x', /\(bad-profile-name\)/],
  ['why', /expected NAME \(a profile\), got nothing \(bad-argument\)/],
  ['why a b', /expected at most 1 argument, got more \(bad-argument\)/],
  ['why a -p b', /expected one profile, got "a" and --profile "b" \(bad-argument\)/],
  ['events --profile a', /gatewarden events does not work on one, got --profile "a"/],
  ['stop a --timeout soon', /--timeout as a number from 0 to 1000000, got "soon"/],
  ['history --limit 0', /--limit as a whole number from 1 to 1000000, got "0"/],
  ['history --since yesterday', /--since as a duration .* got "yesterday"/],
  ['start --timeout', /expected a value after --timeout <SECONDS>, got nothing/],
  ['status --home=', /expected a directory after --home, got an empty text \(bad-argument\)/],
  ['history --since 99999999999999d', /--since as a duration .* got "99999999999999d"/],
  ['completion tcsh', /SHELL as one of bash, zsh, fish, got "tcsh"/],
];

for (const [line, says] of REFUSED) {
  t.test(`gatewarden ${line} is refused as usage, with a next step`, async (t) => {
    const error = refusalOf(line.split(' '));
    t.equal(error?.exitCode, CLI_EXIT.usage);
    t.match(error === undefined ? '' : `${renderError(error)}\n`, says);
  });
}

function refusalOf(args: readonly string[]): GatewardenError | undefined {
  try {
    parseCommandLine(args, 80);
    return undefined;
  } catch (thrown) {
    return thrown instanceof GatewardenError ? thrown : undefined;
  }
}

t.test('a refusal goes to stderr alone, with its exit code', async (t) => {
  const result = await runBinary(['status', '--jsn']);
  t.equal(result.code, CLI_EXIT.usage);
  t.equal(result.stdout, '');
  t.match(result.stderr, /^gatewarden: error: .* \(bad-argument\)\n {2}next: .*\n$/);
});

t.test('without a verb the help is shown as an error', async (t) => {
  const result = await runBinary([]);
  t.equal(result.code, CLI_EXIT.usage);
  t.equal(result.stdout, '');
  t.match(result.stderr, /^Usage: gatewarden VERB/);
});

t.test('help is a result: stdout, exit done', async (t) => {
  for (const args of [['--help'], ['help', 'status']]) {
    const result = await runBinary(args);
    t.equal(result.code, CLI_EXIT.done, args.join(' '));
    t.equal(result.stderr, '', args.join(' '));
    t.match(result.stdout, /^Usage: gatewarden /, args.join(' '));
  }
});

t.test('status without a supervisor exits with its own code and says what to do', async (t) => {
  const { env, home } = scratchHome(t);
  const people = await runBinary(['status'], { env });
  t.equal(people.code, STATUS_EXIT.noSupervisor);
  t.equal(people.stdout, '');
  t.equal(
    people.stderr,
    `gatewarden: error: no supervisor answers for ${home} (no-supervisor)\n  next: start one with: gatewarden up\n`,
  );
  const programs = await runBinary(['status', '--json'], { env });
  t.equal(programs.code, STATUS_EXIT.noSupervisor);
  t.equal(programs.stderr, '');
  t.match(JSON.parse(programs.stdout), { supervisor: null, error: { code: 'no-supervisor' } });
});

t.test('--home beats the environment, before and after the verb', async (t) => {
  const { env, root } = scratchHome(t);
  for (const args of [
    ['--home', `${root}/other`, 'status'],
    ['status', '--home', `${root}/other`],
  ]) {
    t.match((await runBinary(args, { env })).stderr, `answers for ${root}/other (`);
  }
});

t.test('a verb that needs a supervisor fails without one', async (t) => {
  const { env } = scratchHome(t);
  const result = await runBinary(['restart', 'coder'], { env });
  t.equal(result.code, CLI_EXIT.failed);
  t.match(result.stderr, /\(no-supervisor\)/);
});
