import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../config/paths.js';
import type { OwnedIdentity } from '../core/assignment.js';

/**
 * Directories of the whole machine where every user may write and nobody may remove another's
 * file. A claim is made in each that can be used: a hardened unit may see only /dev/shm, and
 * what a logout removes from /dev/shm stays in /run/lock; two claims meet if they share one.
 */
const SHARED_DIRECTORIES = ['/run/lock', '/dev/shm'] as const;
const STICKY_FOR_ALL = 0o1002;

const MARK_LENGTH = 16;

/** How the paths of claims begin; `${stem}telegram-0123456789abcdef.lock` is the file. */
export function identityStems(env: Environment): string[] {
  const named = env['GATEWARDEN_GATEWAY_LOCK_DIR'];
  if (named) return [`${resolve(named)}/`];
  const shared = SHARED_DIRECTORIES.filter(isOpenToAll).map((one) => join(one, 'gatewarden-'));
  if (shared.length > 0) return shared;
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return [join(state, 'gatewarden', 'locks/')];
}

/** Tells identities apart without giving any away. */
export function identityMark({ identity }: OwnedIdentity): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, MARK_LENGTH);
}

export function identityLockPath(stem: string, owned: OwnedIdentity): string {
  return `${stem}${owned.scope}-${identityMark(owned)}.lock`;
}

function isOpenToAll(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return (
    stat?.isDirectory() === true &&
    stat.uid === 0 &&
    (stat.mode & STICKY_FOR_ALL) === STICKY_FOR_ALL
  );
}
