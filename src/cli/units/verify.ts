import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFiles } from '../../../units/apply.js';
import { envFilePath, launcherPath } from '../../../units/home-files.js';
import { readUnit } from '../../../units/installed.js';
import type { Manager } from '../../../units/managers.js';
import { type Ran, runProgram } from '../../../units/run-program.js';
import { GROUP_AND_OTHERS } from '../../config/open-file.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { readTarget, type Target } from './target.js';
import { type WantedEntry, wantedUnits } from './wanted.js';

const CHECK_TIMEOUT_MS = 60_000;

/** What a check found; an empty list of complaints is a pass. */
interface Verified {
  readonly name: string;
  /** the checker that looked, or why none did */
  readonly by: string;
  readonly complaints: readonly string[];
}

/** Lets the manager's own checker look at what would be written, and looks at what it names. */
export async function verify(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  const { entries } = wantedUnits(target, env, '/bin/sh');
  const checks: Verified[] = [checkHomeFiles(target)];
  for (const entry of entries) checks.push(await checkEntry(target, entry));
  const isGood = checks.every(({ complaints }) => complaints.length === 0);
  if (hasFlag(invocation, 'json')) terminal.out(JSON.stringify({ good: isGood, checks }));
  else for (const line of checks.flatMap(describeCheck)) terminal.out(line);
  return isGood ? CLI_EXIT.done : CLI_EXIT.failed;
}

function describeCheck({ by, complaints, name }: Verified): readonly string[] {
  if (complaints.length === 0) return [`ok  ${name} (${by})`];
  return [`!!  ${name} (${by})`, ...complaints.map((line) => `    ${line}`)];
}

/** No checker of a manager looks behind /bin/sh. */
function checkHomeFiles({ home }: Target): Verified {
  const launcher = launcherPath(home);
  const envFile = envFilePath(home);
  const mode = statSync(envFile, { throwIfNoEntry: false })?.mode ?? 0;
  return {
    name: 'files in the home',
    by: 'gatewarden',
    complaints: [
      ...(isThere(launcher) ? [] : [`${launcher} is missing: install writes it`]),
      ...((mode & GROUP_AND_OTHERS) === 0 ? [] : [`${envFile} can be read by others: chmod 600`]),
    ],
  };
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** In a folder of their own: a unit that is not installed yet can be checked too. */
async function checkEntry(target: Target, entry: WantedEntry): Promise<Verified> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatewarden-verify-'));
  try {
    const files = entry.files.map((file) => ({
      ...file,
      path: join(scratch, file.path.slice(target.folder.length)),
    }));
    writeFiles(files);
    const scripts = files.filter(({ path }) => ['run', 'finish'].includes(basename(path)));
    switch (target.manager) {
      case 'systemd':
        return await checkFile(entry, systemdChecker(target, files[0]?.path ?? ''), target.manager);
      case 's6':
        return await checkShell(
          entry.name,
          scripts.map(({ path }) => path),
          scratch,
        );
      case 'launchd':
        return await checkFile(entry, ['plutil', '-lint', files[0]?.path ?? ''], target.manager);
      default:
        return target.manager satisfies never;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function systemdChecker({ scope }: Target, path: string): readonly [string, ...string[]] {
  return ['systemd-analyze', ...(scope === 'user' ? ['--user'] : []), 'verify', path];
}

/** Where the checker is not installed, the file is at least read back. */
async function checkFile(
  { name, service }: WantedEntry,
  argv: readonly [string, ...string[]],
  manager: Manager,
): Promise<Verified> {
  const path = argv.at(-1) ?? '';
  const checked = await runChecker(name, argv, dirname(path));
  if (!checked.complaints.includes(`spawn ${argv[0]} ENOENT`)) return checked;
  const words = readUnit(manager, path)?.service.argv ?? [];
  return {
    name,
    by: `${argv[0]} is not here; only read back by gatewarden`,
    complaints: isDeepStrictEqual(words, service.argv)
      ? []
      : ['its command reads back differently'],
  };
}

/** s6 has no checker: the shell reads the scripts without running them. */
async function checkShell(name: string, paths: readonly string[], scratch: string) {
  const results = await Promise.all(
    paths.map((path) => runChecker(name, ['/bin/sh', '-n', path], scratch)),
  );
  return { name, by: '/bin/sh -n', complaints: results.flatMap(({ complaints }) => complaints) };
}

async function runChecker(
  name: string,
  argv: readonly [string, ...string[]],
  scratch: string,
): Promise<Verified> {
  // the checker of a user manager wants a runtime directory, and none of it is used
  const env = { XDG_RUNTIME_DIR: scratch, ...process.env };
  const ran = await runProgram(argv, { env, timeoutMs: CHECK_TIMEOUT_MS });
  const by = argv.slice(0, -1).join(' ');
  return { name, by, complaints: complaintsOf(ran) };
}

/** Unknown keys are only told on stderr, with exit 0: any word there is a complaint. */
function complaintsOf({ code, stderr, stdout }: Ran): readonly string[] {
  const said = stderr.trim().split('\n').filter(Boolean);
  if (code === 0 || said.length > 0) return said;
  return stdout.trim().split('\n');
}
