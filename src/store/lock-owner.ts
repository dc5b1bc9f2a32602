import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Owner, parseOwner } from '../core/owner.js';
import { readJsonFile, removeHalfWritten, writeHintFile } from './json-file.js';

export interface HintHow {
  readonly isShared: boolean;
}

const PRIVATE: HintHow = { isShared: false };
const SUFFIX = '.owner.json';
const FOR_ALL = 0o644;

export function ownerPath(lockPath: string): string {
  return `${lockPath}${SUFFIX}`;
}

/** In a sticky directory nobody can replace the file of another user: each has its own. */
function ownOwnerPath(lockPath: string, { isShared }: HintHow): string {
  return isShared ? `${lockPath}.${process.getuid?.() ?? 0}${SUFFIX}` : ownerPath(lockPath);
}

/** The record beside a lock; it may be stale, so it proves nothing. */
export function readOwner(lockPath: string, how: HintHow = PRIVATE): Owner | undefined {
  return parseOwner(readJsonFile(ownOwnerPath(lockPath, how)));
}

/** Every record beside a lock: of a shared one each user leaves its own. */
export function readOwners(lockPath: string, how: HintHow): Owner[] {
  const paths = how.isShared ? sharedPaths(lockPath) : [ownerPath(lockPath)];
  return paths.flatMap((path) => parseOwner(readJsonFile(path)) ?? []);
}

/** A full disk must not cost us the lock: a hint that cannot be written is removed instead. */
export function writeOwner(lockPath: string, owner: Owner, how: HintHow = PRIVATE): void {
  const path = ownOwnerPath(lockPath, how);
  // who holds the lock is the one writer: drafts are of those that were killed
  removeHalfWritten(dirname(path), [basename(path)]);
  try {
    writeHintFile(path, owner, how.isShared ? FOR_ALL : undefined);
  } catch {
    removeOwner(lockPath, how);
  }
}

export function removeOwner(lockPath: string, how: HintHow = PRIVATE): void {
  try {
    rmSync(ownOwnerPath(lockPath, how), { force: true });
  } catch {
    // a stale hint is harmless
  }
}

function sharedPaths(lockPath: string): string[] {
  const name = basename(lockPath);
  const directory = dirname(lockPath);
  try {
    return readdirSync(directory)
      .filter((one) => one.startsWith(`${name}.`) && one.endsWith(SUFFIX))
      .map((one) => join(directory, one));
  } catch {
    return [];
  }
}
