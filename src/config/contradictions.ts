import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopback } from './addresses.js';
import { RESERVED_NAMES } from './child-environment.js';
import { DEFAULTS } from './defaults.js';
import { patternExpectation } from './judge-pattern.js';
import type { ConfigProblem } from './model.js';
import { describeGot, type ProblemText, problemAt, showMadeOf } from './problems.js';
import { PLATFORMS_TO_COME } from './schema/platforms.js';
import type { ProfileFile, RestartFile } from './schema/profile.js';
import { type Mapping, mappingAt, type Path, placeOf, valueAt } from './tree.js';

/** What is wrong although every value by itself is fine. Nothing is repaired. */
export function profileContradictions(
  file: ProfileFile,
  tree: Mapping,
  directory: string,
): ConfigProblem[] {
  const tell = teller(tree);
  return [
    ...kindContradictions(tree),
    ...restartContradictions(file.restart, ['restart'], tree),
    ...platformContradictions(file.platforms, tree),
    ...agentContradictions(file.agent, tell),
    ...readyContradictions(file.ready, tell),
    ...envContradictions(tree, tell),
    ...argvContradictions(tree, ['command'], tell),
    ...argvContradictions(tree, ['agent', 'command'], tell),
    ...directoryContradictions(file, directory, tree),
    ...watchdogContradictions(file.watchdog, tell),
  ];
}

/** A budget without time and a cap below its base; also of `supervisor.restart`. */
export function restartContradictions(
  restart: RestartFile | undefined,
  path: Path,
  tree: Mapping,
): ConfigProblem[] {
  const tell = teller(tree);
  const filled = { ...DEFAULTS.restart, ...restart };
  const problems: ConfigProblem[] = [];
  if (filled.max_restarts > 0 && filled.window_seconds === 0) {
    problems.push(
      tell([...path, 'window_seconds'], {
        expected: 'more than 0 when max_restarts is set',
        got: '0',
        hint: 'set max_restarts to 0 if there should be no limit',
      }),
    );
  }
  if (filled.backoff_cap_seconds < filled.backoff_base_seconds) {
    problems.push(
      tell([...path, 'backoff_cap_seconds'], {
        expected: `at least backoff_base_seconds (${filled.backoff_base_seconds})`,
        got: String(filled.backoff_cap_seconds),
      }),
    );
  }
  return problems;
}

/** Without `got`, it is the value that stands there. */
type Tell = (
  path: Path,
  text: Omit<ProblemText, 'got'> & { readonly got?: string },
) => ConfigProblem;

function teller(tree: Mapping): Tell {
  return (path, { got = describeGot(valueAt(tree, path), path), ...text }) =>
    problemAt(placeOf(tree, path), path, { ...text, got });
}

/** One dropped sign of life, or one slow proof, must never be the end of anything. */
function watchdogContradictions(watchdog: ProfileFile['watchdog'], tell: Tell): ConfigProblem[] {
  const filled = { ...DEFAULTS.watchdog, ...watchdog };
  const { beat_seconds: beat, check_seconds: check, prove_seconds: prove } = filled;
  const { strike_seconds: strike, strikes } = filled;
  const refusals: readonly (readonly [keyof typeof filled, boolean, string])[] = [
    // its sign of life comes with a look: one of them may be dropped
    [
      'silence_seconds',
      filled.silence_seconds < Math.max(2 * (beat + check), LEAST_SILENCE_SECONDS),
      `at least twice beat_seconds and check_seconds together (${beat} + ${check}), and at least ${LEAST_SILENCE_SECONDS}`,
    ],
    [
      'proven_within_seconds',
      filled.proven_within_seconds <= prove,
      `more than prove_seconds (${prove})`,
    ],
    ['warn_seconds', filled.warn_seconds < check, `at least check_seconds (${check})`],
    [
      'warn_seconds',
      filled.warn_seconds >= strike * strikes,
      `less than strikes × strike_seconds (${strikes} × ${strike}), which end it`,
    ],
    [
      'strike_seconds',
      strike < check || strike * strikes < LEAST_LIMIT_SECONDS,
      `at least check_seconds (${check}), and ${LEAST_LIMIT_SECONDS} in all ${strikes} strikes`,
    ],
  ];
  return refusals
    .filter(([, isRefused]) => isRefused)
    .map(([key, , expected]) => tell(['watchdog', key], { expected, got: String(filled[key]) }));
}

/** What a healthy thread may need on a busy host until its first sign of life. */
const LEAST_SILENCE_SECONDS = 5;

/** Garbage collection, a large answer or a slow disk are over by then. */
const LEAST_LIMIT_SECONDS = 2;

/** A profile is one of two kinds: another program, or the built-in gateway. */
function kindContradictions(tree: Mapping): ConfigProblem[] {
  const tell = teller(tree);
  const isProgram = tree.entries.has('command');
  const misplaced = (isProgram ? ['agent', 'platforms'] : ['cwd', 'ready']).filter((key) =>
    tree.entries.has(key),
  );
  return misplaced.map((key) =>
    isProgram
      ? tell([key], {
          expected: `no ${key} beside command`,
          got: 'both',
          hint: `a program of its own does not use ${key}; remove one of them`,
        })
      : tell([key], { expected: `command beside ${key}`, got: 'no command' }),
  );
}

function platformContradictions(
  platforms: ProfileFile['platforms'],
  tree: Mapping,
): ConfigProblem[] {
  const tell = teller(tree);
  const problems: ConfigProblem[] = [];
  for (const name of PLATFORMS_TO_COME) {
    if (platforms?.[name]?.enabled !== true) continue;
    problems.push(
      tell(['platforms', name, 'enabled'], {
        expected: 'false, because this version does not have it',
        got: 'true',
      }),
    );
  }
  const { enabled, host, key } = { ...DEFAULTS.platforms.api_server, ...platforms?.api_server };
  if (enabled && key === undefined && !isLoopback(host)) {
    const shown = showMadeOf(tree, ['platforms', 'api_server', 'host'], host);
    problems.push(
      tell(['platforms', 'api_server', 'key'], {
        expected: `a key, because ${shown} can be reached from other machines`,
        got: 'none',
        hint: `listen on ${DEFAULTS.platforms.api_server.host} if it should not be`,
      }),
    );
  }
  return problems;
}

function agentContradictions(agent: ProfileFile['agent'], tell: Tell): ConfigProblem[] {
  if (agent?.driver !== 'openai' || agent.api_key !== undefined) return [];
  const baseUrl = agent.base_url ?? DEFAULTS.agent.openai.base_url;
  if (baseUrl !== DEFAULTS.agent.openai.base_url) return [];
  return [
    tell(['agent', 'api_key'], {
      expected: `the key of ${baseUrl}`,
      got: 'none',
      hint: 'name another endpoint in base_url if it needs none',
    }),
  ];
}

function readyContradictions(ready: ProfileFile['ready'], tell: Tell): ConfigProblem[] {
  if (typeof ready !== 'object' || ready.log === undefined) return [];
  const expected = patternExpectation(ready.log);
  return expected === undefined ? [] : [tell(['ready', 'log'], { expected })];
}

function envContradictions(tree: Mapping, tell: Tell): ConfigProblem[] {
  const names = [...(mappingAt(tree, ['env'])?.entries.keys() ?? [])];
  return names
    .filter((name) => RESERVED_NAMES.has(name))
    .map((name) =>
      tell(['env', name], { expected: 'a name that is free', got: 'one that Gatewarden sets' }),
    );
}

/** The command line of a process is open to every account of the machine. */
function argvContradictions(tree: Mapping, path: Path, tell: Tell): ConfigProblem[] {
  const argv = valueAt(tree, path);
  if (argv?.kind !== 'sequence') return [];
  return [...argv.items.entries()]
    .filter(([, item]) => item.kind === 'scalar' && item.secret)
    .map(([index]) =>
      tell([...path, index], {
        expected: 'no ${NAME} in a command line, which everybody on this machine can read',
        got: 'one',
        hint: 'hand it over in env',
      }),
    );
}

function directoryContradictions(
  file: ProfileFile,
  directory: string,
  tree: Mapping,
): ConfigProblem[] {
  const tell = teller(tree);
  const agentCwd = file.agent?.driver === 'command' ? file.agent.cwd : undefined;
  const wanted: [Path, string | undefined][] = [
    [['cwd'], file.cwd],
    [['agent', 'cwd'], agentCwd],
  ];
  return wanted.flatMap(([path, cwd]) => {
    if (cwd === undefined || isDirectory(resolve(directory, cwd))) return [];
    const got = `none at ${showMadeOf(tree, path, resolve(directory, cwd))}`;
    return [tell(path, { expected: 'an existing directory', got })];
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
