import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { packageFile } from '../../core/package-root.js';
import { SCOPE_VARIABLE } from '../../core/scope.js';
import type { LaunchRequest, RunAs } from '../port.js';
import { becomingWords, findSetpriv, packedEnvironment } from './as-account.js';
import { isRunnable, resolveProgram } from './resolve-program.js';

/** What the scope adds to a request. */
export interface LaunchTerms {
  readonly tag: string;
  /** the cgroup.procs to join by */
  readonly procsFile: string | undefined;
  /** RLIMIT_DATA */
  readonly dataBytes: number | undefined;
}

const SHELL = '/bin/sh';
const KIB = 1024;

/** Set by one shell or another on its own account. */
const SHELL_NAMES = ['PWD', 'OLDPWD', 'SHLVL', '_'] as const;

/** Whether this host has what a program needs to join a cgroup before it runs. */
export function canJoinBeforeExec(): boolean {
  return isRunnable(SHELL);
}

export interface Launched {
  readonly child: ChildProcess;
  /** it is in the cgroup before its program runs; false also where there is none to join */
  readonly hasJoined: boolean;
}

/**
 * The one place that starts programs. Node cannot put a child into a cgroup, and one that is
 * moved after its start may have forked before: so a few lines of shell join first and then
 * become the program, under the same pid.
 */
export function launch(request: LaunchRequest, terms: LaunchTerms): Launched {
  const [program, ...args] = request.argv;
  const options: SpawnOptions = {
    cwd: request.cwd,
    env: { ...request.env, [SCOPE_VARIABLE]: terms.tag },
    stdio: request.stdio,
    detached: true,
  };
  if (request.account !== undefined) return launchAs(request.account, request, { terms, options });
  const words = launcherWords(request, terms);
  const file = words === undefined ? undefined : resolveProgram(program, request);
  // what cannot be run is tried as it is: the error then has the kernel's errno and its own name
  if (words === undefined || file === undefined) {
    return { child: spawn(program, args, options), hasJoined: false };
  }
  const child = spawn(SHELL, [...words, file, ...args], options);
  return { child, hasJoined: terms.procsFile !== undefined };
}

interface Start {
  readonly terms: LaunchTerms;
  readonly options: SpawnOptions;
}

/**
 * The same as another account: root joins, gives itself up, and only then the program's own
 * environment is there. Without the means for it Node changes the account, before anything else.
 */
function launchAs(account: RunAs, request: LaunchRequest, { terms, options }: Start): Launched {
  const [program, ...args] = request.argv;
  const { gid, uid } = account;
  const setpriv = canJoinBeforeExec() ? findSetpriv() : undefined;
  const file = setpriv === undefined ? undefined : resolveProgram(program, request);
  if (setpriv === undefined || file === undefined) {
    return { child: spawn(program, args, { ...options, uid, gid }), hasJoined: false };
  }
  const env = { ...request.env, [SCOPE_VARIABLE]: terms.tag };
  const words = [
    ...joiningWords(request, terms, ''),
    ...becomingWords(setpriv, account, namesToUnset(env)),
    file,
    ...args,
  ];
  // also the tag in the open: whoever looks for it may look at this moment
  const packed = { ...packedEnvironment(env), [SCOPE_VARIABLE]: terms.tag };
  const child = spawn(SHELL, words, { ...options, env: packed });
  return { child, hasJoined: terms.procsFile !== undefined };
}

/** undefined: nothing has to be done between fork and exec. */
function launcherWords(request: LaunchRequest, terms: LaunchTerms): readonly string[] | undefined {
  const { procsFile, dataBytes } = terms;
  const { oomScoreAdj, env } = request;
  if (procsFile === undefined && dataBytes === undefined && oomScoreAdj === undefined) {
    return undefined;
  }
  if (!canJoinBeforeExec()) return undefined;
  return joiningWords(request, terms, namesToUnset(env));
}

function joiningWords(
  { oomScoreAdj }: LaunchRequest,
  { procsFile, dataBytes }: LaunchTerms,
  unset: string,
): readonly string[] {
  return [
    packageFile('src', 'containment', 'launch', 'launch.sh'),
    procsFile ?? '',
    oomScoreAdj === undefined ? '' : String(oomScoreAdj),
    dataBytes === undefined ? '' : String(Math.ceil(dataBytes / KIB)),
    unset,
  ];
}

function namesToUnset(env: Readonly<Record<string, string>>): string {
  return SHELL_NAMES.filter((name) => !Object.hasOwn(env, name)).join(' ');
}
