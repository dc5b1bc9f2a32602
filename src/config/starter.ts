import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, GatewardenError } from '../core/errors.js';
import { DEFAULT_PROFILE, isProfileName } from '../core/names.js';
import { DEFAULTS } from './defaults.js';
import { loadConfig } from './load.js';
import { type Environment, homeLayout, profileLayout } from './paths.js';
import { claimedPorts, firstFreePort } from './ports.js';
import { reasonOf } from './read-source.js';
import { envText, hostText, profileText, type StarterDriver } from './starter-texts.js';

export interface StarterOptions {
  readonly profile?: string | undefined;
  readonly driver?: StarterDriver | undefined;
  /** of the API; 0 = any free one */
  readonly port?: number | undefined;
}

export interface StarterFile {
  /** relative to the home */
  readonly path: string;
  readonly mode: number;
  readonly text: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

/** What a new home holds: the host file and one profile that works without any key. */
export function starterFiles(options: StarterOptions = {}): StarterFile[] {
  const host = { path: 'config.yaml', mode: PRIVATE_FILE, text: hostText() };
  return [host, ...profileFiles(options)];
}

/** The files of one new profile. @throws GatewardenError bad-profile-name */
export function profileFiles(options: StarterOptions = {}): StarterFile[] {
  const { profile = DEFAULT_PROFILE, driver = DEFAULTS.agent.driver } = options;
  const { port = DEFAULTS.platforms.api_server.port } = options;
  if (!isProfileName(profile)) throw new GatewardenError('bad-profile-name', { got: profile });
  const directory = join('profiles', profile);
  return [
    { path: join(directory, 'config.yaml'), mode: PRIVATE_FILE, text: profileText(driver, port) },
    { path: join(directory, '.env'), mode: PRIVATE_FILE, text: envText(driver) },
  ];
}

/**
 * Writes what is missing of a starter home and leaves everything else as it is.
 * @returns the paths that were written
 * @throws GatewardenError home-unusable
 */
export function writeStarterHome(home: string, options: StarterOptions = {}): string[] {
  const { profilesDir } = homeLayout(home);
  return writeMissing(home, starterFiles(options), profilesDir);
}

/**
 * Adds a profile to a home, on the first port that nobody else has unless one is named.
 * @returns the paths that were written: none when it is there already
 * @throws GatewardenError bad-profile-name, bad-argument for a port that another profile has, and
 *   whatever loadConfig throws
 */
export async function addProfile(
  home: string,
  options: StarterOptions & { readonly profile: string },
  env: Environment,
): Promise<string[]> {
  const claims = claimedPorts(loadConfig(home, env));
  const owner = options.port === undefined ? undefined : claims.get(options.port);
  if (owner !== undefined && options.port !== 0) throw portTaken(String(options.port), owner);
  const port = options.port ?? (await firstFreePort(claims));
  const files = profileFiles({ ...options, port });
  return writeMissing(home, files, profileLayout(home, options.profile).directory);
}

function portTaken(port: string, owner: string): GatewardenError {
  return new GatewardenError('bad-argument', {
    expected: 'expected --port as one that is not taken',
    got: `${port}, which ${owner} has`,
    hint: 'leave --port away: the first free one is taken',
  });
}

function writeMissing(home: string, files: readonly StarterFile[], directory: string): string[] {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
    return files.map((file) => writeNew(home, file)).filter((path) => path !== undefined);
  } catch (error) {
    const reason = errnoOf(error) === 'EROFS' ? 'a read-only file system' : reasonOf(error);
    const hint = `look at it with: ls -ld ${home}`;
    throw new GatewardenError('home-unusable', { path: home, reason, hint }, { cause: error });
  }
}

/** Never through an existing file, not even one that appears meanwhile. */
function writeNew(home: string, { path, mode, text }: StarterFile): string | undefined {
  const target = join(home, path);
  mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_DIRECTORY });
  try {
    writeFileSync(target, text, { mode, flag: 'wx' });
    return target;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}
