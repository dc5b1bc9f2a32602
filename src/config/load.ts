import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, GatewardenError } from '../core/errors.js';
import { isProfileName } from '../core/names.js';
import { refuseCollisions } from './collisions.js';
import { configInvalid } from './config-invalid.js';
import { deepFreeze } from './freeze.js';
import { loadHost } from './load-host.js';
import { loadProfile } from './load-profile.js';
import type { ConfigProblem, LoadedConfig } from './model.js';
import { multiplexNotices, refuseUnservable, withMultiplexOverride } from './multiplex.js';
import { type Environment, homeLayout } from './paths.js';
import { quote, renderProblems } from './problems.js';
import { reasonOf } from './read-source.js';

/**
 * Reads everything under a home. A bad profile is one of the results; it never stops the others.
 * @param env of this process; only its PATH is used, to find the programs that profiles name, and
 *   the switch of multiplexing
 * @param only the profile that is asked for, which an account may read without seeing the others
 * @throws GatewardenError home-missing, home-unusable, or config-invalid when the host file
 *   itself is wrong
 */
export function loadConfig(home: string, env: Environment, only?: string): LoadedConfig {
  const { loaded, hostProblems } = readHome(home, env, only);
  if (hostProblems.length === 0) return loaded;
  throw configInvalid(hostProblems);
}

/**
 * Every problem in what `up` would read, of the host and of all profiles.
 * @throws GatewardenError home-missing, home-unusable
 */
export function checkConfig(home: string, env: Environment): ConfigProblem[] {
  const { loaded, hostProblems } = readHome(home, env);
  const ofProfiles = [...loaded.profiles.values()].flatMap((profile) =>
    profile.kind === 'bad' ? profile.problems : [],
  );
  // a bad value in `defaults` is found again by each profile that inherits it
  const byText = new Map(
    [...hostProblems, ...ofProfiles].map((problem) => [renderProblems([problem]), problem]),
  );
  return [...byText.values()];
}

/**
 * What `up` would say beside its problems, also when the host file itself is wrong.
 * @throws GatewardenError home-unusable
 */
export function checkNotices(home: string): string[] {
  return listProfiles(homeLayout(home).profilesDir).notices;
}

interface ReadHome {
  readonly loaded: LoadedConfig;
  readonly hostProblems: readonly ConfigProblem[];
}

function readHome(home: string, env: Environment, only?: string): ReadHome {
  requireHome(home);
  const layout = homeLayout(home);
  const host = loadHost(layout);
  const config = withMultiplexOverride(host.config, env);
  const { names, notices } = listProfiles(layout.profilesDir, only);
  const separate = refuseCollisions(
    names.map((name) => loadProfile({ home, name, host, env })),
    config.control,
  );
  const read = refuseUnservable(separate, config);
  const sources = [...host.sources, layout.profilesDir, ...read.flatMap((one) => one.sources)];
  const loaded: LoadedConfig = {
    home,
    host: config,
    profiles: new Map(read.map(({ profile }) => [profile.name, profile])),
    notices,
    sources: [...new Set(sources)],
  };
  const told = { ...loaded, notices: [...notices, ...multiplexNotices(loaded)] };
  return { loaded: deepFreeze(told), hostProblems: host.problems };
}

function requireHome(home: string): void {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(home).isDirectory();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new GatewardenError('home-missing', { path: home });
    throw unusable(home, reasonOf(error), error);
  }
  if (!isDirectory) throw unusable(home, 'a file', undefined);
}

/** A backup or a folder of notes among the profiles is skipped, and never in silence. */
function listProfiles(directory: string, only?: string): { names: string[]; notices: string[] } {
  const names: string[] = [];
  const notices: string[] = [];
  for (const name of entriesOf(directory, only).sort()) {
    if (name.startsWith('.') || !isDirectory(join(directory, name))) continue;
    if (isProfileName(name)) {
      names.push(name);
      continue;
    }
    notices.push(
      `${directory} holds ${quote(name)}, which is no profile name (a-z, 0-9, _ and -, first a letter or digit): it is skipped`,
    );
  }
  return { names, notices };
}

function entriesOf(directory: string, only: string | undefined): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    if (errnoOf(error) === 'EACCES' && only !== undefined) return [only];
    const reason = errnoOf(error) === 'ENOTDIR' ? 'a file' : reasonOf(error);
    throw unusable(directory, reason, error);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function unusable(path: string, reason: string, cause: unknown): GatewardenError {
  const hint = `look at it with: ls -ld ${path}`;
  return new GatewardenError('home-unusable', { path, reason, hint }, { cause });
}
