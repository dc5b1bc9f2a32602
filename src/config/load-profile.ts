import { isAbsolute, resolve } from 'node:path';
import { packageVersion } from '../core/version.js';
import { accountProblems } from './account-problems.js';
import { ACCOUNT_FILES, judgeUser } from './accounts.js';
import { checkShape } from './check-shape.js';
import { ACCOUNT_PATH } from './child-environment.js';
import { profileContradictions } from './contradictions.js';
import { extendFingerprint, fingerprint, type ProgramInputs, programFiles } from './fingerprint.js';
import { interpolate } from './interpolate.js';
import type { LoadedHost } from './load-host.js';
import { mergeDefaults } from './merge.js';
import type { ConfigProblem, LoadedProfile, ProfileConfig } from './model.js';
import { parseYaml } from './parse-yaml.js';
import { type Environment, type ProfileLayout, profileLayout } from './paths.js';
import { dotted, inReadingOrder, problemAt, renderProblems } from './problems.js';
import { readSource } from './read-source.js';
import { resolveProfile } from './resolve-profile.js';
import { profileSchema } from './schema/profile.js';
import { loadScope } from './secret-scope.js';
import { emptyMapping, type Mapping, placeOf, toPlain, valueAt } from './tree.js';

export interface ProfileInputs {
  readonly home: string;
  readonly name: string;
  readonly host: LoadedHost;
  readonly env: Environment;
}

export interface ReadProfile {
  readonly profile: LoadedProfile;
  /** the merged tree: places for problems that are found later */
  readonly tree: Mapping;
  readonly sources: readonly string[];
}

/** Reads one profile; whatever is wrong with it stays its own. */
export function loadProfile({ home, name, host, env }: ProfileInputs): ReadProfile {
  const layout = profileLayout(home, name);
  const written = readOwnFile(layout);
  const tree = mergeDefaults(host.inherited, written.tree);
  const envFiles = namedEnvFiles(tree, layout.directory);
  const checked = checkProfile({ home, name, layout, tree, envFiles: envFiles.files, host });
  const problems = [...written.problems, ...envFiles.problems, ...checked.problems];
  const program = programOf(checked.config, env);
  const files = [layout.configFile, layout.envFile, ...envFiles.files];
  const inherited = JSON.stringify([toPlain(host.inherited), host.storm]);
  const { directory } = layout;
  const version = packageVersion();
  const base = fingerprint({ version, directory, inherited, files, program });
  return {
    profile: asLoaded(name, checked.config, { problems, base }),
    tree: checked.tree,
    sources: [
      layout.directory,
      ...files,
      ...programFiles(program).filter(isAbsolute),
      // an account that is made later is a cure
      ...(checked.config.user === undefined ? [] : ACCOUNT_FILES),
    ],
  };
}

/** The same profile, made bad by something outside of it. */
export function refuseProfile(read: ReadProfile, problem: ConfigProblem): ReadProfile {
  const { profile } = read;
  const before = profile.kind === 'bad' ? profile.problems : [];
  const problems = [...before, problem];
  return { ...read, profile: bad(profile.name, problems, profile.fingerprint) };
}

function asLoaded(
  name: string,
  config: ProfileConfig,
  { problems, base }: { readonly problems: readonly ConfigProblem[]; readonly base: string },
): LoadedProfile {
  if (problems.length > 0) return bad(name, inReadingOrder(problems), base);
  return { kind: 'good', name, config, fingerprint: base };
}

/** The problems are part of the fingerprint: a cure elsewhere (a directory made) counts as a change. */
function bad(name: string, problems: readonly ConfigProblem[], base: string): LoadedProfile {
  const extended = extendFingerprint(base, renderProblems(problems));
  return { kind: 'bad', name, problems, fingerprint: extended };
}

function readOwnFile(layout: ProfileLayout) {
  const source = readSource(layout.configFile);
  const empty = emptyMapping(layout.configFile);
  if (source.kind === 'absent') return { tree: empty, problems: [] };
  if (source.kind === 'fault') return { tree: empty, problems: [source.problem] };
  const parsed = parseYaml(layout.configFile, source.text);
  return parsed.kind === 'tree'
    ? { tree: parsed.tree, problems: [] }
    : { tree: empty, problems: parsed.problems };
}

function namedEnvFiles(tree: Mapping, directory: string) {
  const files: string[] = [];
  const problems: ConfigProblem[] = [];
  const list = valueAt(tree, ['env_files']);
  for (const [index, item] of (list?.kind === 'sequence' ? list.items : []).entries()) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string' || item.value === '') continue;
    if (item.value.includes('${')) {
      const path = ['env_files', index];
      const text = { expected: 'a file name without ${NAME}', got: 'one with it' };
      problems.push(problemAt(placeOf(tree, path), path, text));
    } else {
      files.push(resolve(directory, item.value));
    }
  }
  return { files, problems };
}

interface CheckInputs {
  readonly home: string;
  readonly name: string;
  readonly layout: ProfileLayout;
  readonly tree: Mapping;
  readonly envFiles: readonly string[];
  readonly host: LoadedHost;
}

function checkProfile({ home, name, layout, tree: merged, envFiles, host }: CheckInputs) {
  const { scope, problems: scopeProblems } = loadScope({
    owner: `profile ${name}`,
    envFile: layout.envFile,
    extraFiles: envFiles,
  });
  const resolved = interpolate(merged, scope);
  const tree = resolved.tree as Mapping;
  const unresolved = new Set(resolved.problems.map((problem) => problem.key));
  const shape = checkShape(profileSchema(), tree, (path) => unresolved.has(dotted(path)));
  const { directory } = layout;
  const judged = judgeUser(shape.value.user);
  const account = judged.kind === 'runs-as' ? judged.account : undefined;
  const { revealed } = resolved;
  const facts = { name, directory, storm: host.storm, revealed, tree, account };
  return {
    tree,
    config: resolveProfile(shape.value, facts),
    problems: [
      ...scopeProblems,
      ...resolved.problems,
      ...shape.problems,
      ...profileContradictions(shape.value, tree, directory),
      ...accountProblems(judged, tree, { home, name }),
    ],
  };
}

function programOf(config: ProfileConfig, env: Environment): ProgramInputs | undefined {
  const own = config.env['PATH'];
  const usual = config.account === undefined ? (env['PATH'] ?? '') : ACCOUNT_PATH;
  const searchPath = (typeof own === 'string' ? own : own?.reveal()) ?? usual;
  if (config.command !== undefined) {
    return { argv: config.command.argv, cwd: config.command.cwd, searchPath };
  }
  const { agent } = config;
  if (agent.driver !== 'command') return undefined;
  return { argv: agent.argv, cwd: agent.cwd ?? '.', searchPath };
}
