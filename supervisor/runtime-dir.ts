import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { controlSocketPath, runtimeDirCandidates } from '../src/config/paths.js';
import { GatewardenError, messageOf } from '../src/core/errors.js';

const OWNER_ONLY = 0o700;

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

function isOurs(directory: string, uid: number): boolean {
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== uid) return false;
  chmodSync(directory, OWNER_ONLY);
  return true;
}
