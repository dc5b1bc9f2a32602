import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { GROUP_AND_OTHERS } from '../src/config/open-file.js';
import { controlSocketPath, type Environment, runtimeDirCandidates } from '../src/config/paths.js';
import { GatewardenError, messageOf } from '../src/core/errors.js';

const OWNER_ONLY = 0o700;
const PASS = 0o011;

/**
 * Makes the directory for our sockets: the first candidate that is really ours and short
 * enough. A directory in /tmp that somebody else planted is passed over.
 * @throws GatewardenError socket-path-too-long, home-unusable when none will do
 */
export function makeRuntimeDir(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  uid: number,
): string {
  const refusals: string[] = [];
  let tooLong: GatewardenError | undefined;
  for (const directory of runtimeDirCandidates(home, env, uid)) {
    try {
      controlSocketPath(directory);
      if (!isBelowOurs(directory, uid)) {
        refusals.push(`${directory} lies in a directory of somebody else`);
        continue;
      }
      mkdirSync(directory, { recursive: true, mode: OWNER_ONLY });
      if (isOurs(directory, uid)) return directory;
      refusals.push(`${directory} belongs to somebody else`);
    } catch (error) {
      if (error instanceof GatewardenError) tooLong ??= error;
      else refusals.push(messageOf(error));
    }
  }
  throw (
    (refusals.length === 0 ? tooLong : undefined) ??
    new GatewardenError('home-unusable', {
      path: home,
      reason: `no directory for sockets (${refusals.join('; ')})`,
      hint: 'set XDG_RUNTIME_DIR to a short directory of your own',
    })
  );
}

/** Where root can let others pass: its own runtime directory is closed to them. */
export function makeSharedRuntimeDir(home: string, env: Environment): string {
  return makeRuntimeDir(home, { ...env, XDG_RUNTIME_DIR: undefined }, 0);
}

function isOurs(directory: string, uid: number): boolean {
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== uid) return false;
  // accounts of profiles may pass through to sockets of their own (supervisor/accounts)
  if ((stat.mode & GROUP_AND_OTHERS & ~PASS) !== 0) chmodSync(directory, OWNER_ONLY);
  return true;
}

/** An inherited XDG_RUNTIME_DIR may be another user's (`su`); nothing of ours belongs there. */
function isBelowOurs(directory: string, uid: number): boolean {
  for (let at = dirname(directory); ; at = dirname(at)) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat !== undefined) return stat.uid === uid || stat.uid === 0;
    if (at === dirname(at)) return false;
  }
}

/** The next supervisor makes it again; a host with many homes does not collect empty ones. */
export function removeRuntimeDir(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // not empty: somebody else's socket, or the state directory of the home
  }
}

export function removeSharedRuntimeDir(home: string): void {
  if (process.geteuid?.() !== 0) return;
  for (const directory of runtimeDirCandidates(home, {}, 0)) removeRuntimeDir(directory);
}
