import { lstatSync } from 'node:fs';
import type { ProfileConfig } from '../../src/config/model.js';
import { profileLayout } from '../../src/config/paths.js';
import { GatewardenError, messageOf } from '../../src/core/errors.js';
import { handOver, type Ids, type Obstacle } from './hand-over.js';
import { type OpenEntry, withEntry } from './open-entry.js';
import { openHome } from './open-home.js';
import { openRuntimeDir } from './open-runtime-dir.js';

/** Without an account it is ours again, if it was another's before. */
export interface ProfileOfAccount extends Pick<ProfileConfig, 'name' | 'account'> {
  readonly home: string;
  /** where we bind sockets for it; undefined: nowhere */
  readonly socketDir: string | undefined;
}

const ROOT: Ids = { uid: 0, gid: 0 };

/** The profile's directory and configuration stay root's: they say as whom the gateway runs. */
const MODES = {
  account: { directory: 0o750, config: 0o640 },
  root: { directory: 0o700, config: 0o600 },
} as const;
const SECRET = 0o600;

/**
 * Before a spawn: the profile's files belong to whom its processes will be. Only root can do
 * this, and only root has to.
 * @throws GatewardenError account-unusable
 */
export function prepareAccount(profile: ProfileOfAccount): void {
  if (process.geteuid?.() !== 0) return;
  const { account, home, name } = profile;
  if (account === undefined && !isGivenAway(home, name)) return;
  try {
    if (account !== undefined) openWay(profile);
    giveOwnFiles(profile);
    const obstacle = handOver(profileLayout(home, name).stateDir, account ?? ROOT);
    if (obstacle !== undefined) throw inTheWay(profile, obstacle);
  } catch (thrown) {
    if (thrown instanceof GatewardenError) throw thrown;
    const hint = `look at the files in ${profileLayout(home, name).directory}`;
    throw unusable(profile, messageOf(thrown), hint);
  }
}

/** Nobody else changes what is in the state while root deletes it. */
export function closeState(home: string, name: string): void {
  if (process.geteuid?.() !== 0 || !isGivenAway(home, name)) return;
  withEntry(profileLayout(home, name).stateDir, 'directory', ({ change }) => change(0, 0, 0o700));
}

/** A directory of root that holds the state of somebody else: only we make that. */
function isGivenAway(home: string, name: string): boolean {
  const { directory, stateDir } = profileLayout(home, name);
  const [outer, inner] = [directory, stateDir].map((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  );
  if (outer?.uid !== 0 || inner === undefined) return false;
  return inner.uid !== 0 || (inner.isDirectory() && (inner.mode & 0o1000) !== 0);
}

function openWay(profile: ProfileOfAccount): void {
  openHome(profile.home);
  if (profile.socketDir === undefined) return;
  const blocked = openRuntimeDir(profile.socketDir);
  if (blocked === undefined) return;
  throw unusable(
    profile,
    `its sockets lie behind ${blocked}, which it may not pass`,
    'make /run writable for root; or use no local platform, and ready: fd for a program',
  );
}

function giveOwnFiles({ account, home, name }: ProfileOfAccount): void {
  const { configFile, directory, envFile } = profileLayout(home, name);
  const modes = account === undefined ? MODES.root : MODES.account;
  const gid = account?.gid ?? 0;
  const isThere = withEntry(directory, 'directory', (entry) => {
    requireRoots(entry, directory);
    entry.change(0, gid, modes.directory);
    return true;
  });
  if (isThere !== true) throw new Error(`${directory} is gone`);
  unlessLink(configFile, (entry) => entry.change(0, gid, modes.config));
  unlessLink(envFile, (entry) => entry.change(account?.uid ?? 0, gid, SECRET));
}

/** It was when the configuration was read. */
function requireRoots({ stat }: OpenEntry, path: string): void {
  if (stat.uid !== 0) throw new Error(`${path} belongs to uid ${stat.uid} and not to root`);
}

/** A link in a directory of root is its operator's, and so is what it leads to. */
function unlessLink(path: string, act: (entry: OpenEntry) => void): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return;
  if (stat.nlink > 1) throw new Error(`${path} has ${stat.nlink} names (hard links)`);
  withEntry(path, 'file', act);
}

function inTheWay(profile: ProfileOfAccount, { got, path }: Obstacle): GatewardenError {
  return unusable(
    profile,
    `expected files of its own in its state, got ${got}: ${path}`,
    `remove it, or give the profile's state to root: ls -l ${path}`,
  );
}

function unusable(
  { account, name }: ProfileOfAccount,
  reason: string,
  hint: string,
): GatewardenError {
  const facts = { profile: name, account: account?.name ?? 'root', reason, hint };
  return new GatewardenError('account-unusable', facts);
}
