import { accessSync, constants, lstatSync, truncateSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { errnoOf, messageOf } from '../core/errors.js';
import type { Owner } from '../core/owner.js';
import { ensureDirectory } from './directory.js';
import { readOwner, readOwners, removeOwner, writeOwner } from './lock-owner.js';
import { livenessOfOwner } from './place.js';
import { prepareSharedFile } from './shared-lock-file.js';

export interface HeldLock {
  /** may be called twice */
  release(): void;
}

export type LockOutcome =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  /** owner is undefined when it left no hint, or one of a process that is dead */
  | { readonly kind: 'taken'; readonly owner: Owner | undefined }
  | { readonly kind: 'unusable'; readonly errno: string; readonly text: string };

/**
 * Takes a lock that only the death of this process (or `release`) frees. Node has no flock,
 * so the kernel lock is the one SQLite takes on an empty file for a write transaction that is
 * never committed: nothing is ever written, which is why a full disk does not matter. It answers
 * at once and never waits.
 */
export function acquireLock(path: string, owner: Owner, how: LockHow = PRIVATE): LockOutcome {
  const key = resolve(path);
  // Opening and closing a file that this process has locked would free the lock (fcntl(2)),
  // so a second try from inside must not come near it.
  if (heldHere.has(key)) return { kind: 'taken', owner: readOwner(path, how) };
  const outcome = tryLock(path, how);
  if (outcome.kind !== 'locked') return outcome;
  heldHere.set(key, outcome.db);
  writeOwner(path, owner, how);
  return { kind: 'held', lock: heldLock(path, how) };
}

export interface LockHow {
  /** other users of the machine compete for it, in a directory where everybody may write */
  readonly isShared: boolean;
}

const PRIVATE: LockHow = { isShared: false };

/** Also keeps the connections from the garbage collector, which would close them. */
const heldHere = new Map<string, Database.Database>();

type TryOutcome =
  | { readonly kind: 'locked'; readonly db: Database.Database }
  | Exclude<LockOutcome, { kind: 'held' }>;

function tryLock(path: string, how: LockHow): TryOutcome {
  const take = (): TryOutcome => ({ kind: 'locked', db: openLocked(path, how) });
  try {
    if (how.isShared) prepareSharedFile(path);
    else ensureDirectory(dirname(path));
    return take();
  } catch (error) {
    if (errnoOf(error)?.startsWith('SQLITE_BUSY')) {
      return { kind: 'taken', owner: liveOwner(path, how) };
    }
    // what stands in a place open to all may be anything, and is nobody's to empty
    if (how.isShared) return unusable(path, error);
    return onRefusal(path, error, take);
  }
}

function unusable(path: string, error: unknown): TryOutcome {
  const code = errnoOf(error) ?? 'UNKNOWN';
  return { kind: 'unusable', errno: errnoFor(path, code), text: messageOf(error) };
}

function onRefusal(path: string, error: unknown, retry: () => TryOutcome): TryOutcome {
  const code = errnoOf(error) ?? 'UNKNOWN';
  if (code.startsWith('SQLITE_BUSY')) return { kind: 'taken', owner: liveOwner(path, PRIVATE) };
  if (!code.startsWith('SQLITE_NOTADB') && !code.startsWith('SQLITE_CORRUPT')) {
    return unusable(path, error);
  }
  try {
    // Emptied in place, never unlinked: the lock belongs to the inode, so whoever else does the
    // same at this moment still competes for the same lock.
    truncateSync(path, 0);
    return retry();
  } catch (second) {
    return isCorruption(second)
      ? { kind: 'unusable', errno: code, text: messageOf(second) }
      : onRefusal(path, second, retry);
  }
}

function isCorruption(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(errnoOf(error) ?? '');
}

/**
 * IMMEDIATE, not EXCLUSIVE: of two processes that try in the same instant exactly one wins,
 * where EXCLUSIVE may refuse both. The journal in memory keeps it from writing.
 */
function openLocked(path: string, { isShared }: LockHow): Database.Database {
  const db = new Database(path, { timeout: 0, fileMustExist: isShared });
  try {
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN IMMEDIATE');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function heldLock(path: string, how: LockHow): HeldLock {
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      removeOwner(path, how);
      heldHere.get(resolve(path))?.close();
      heldHere.delete(resolve(path));
    },
  };
}

/** A hint of a dead process is left over from an earlier owner. */
function liveOwner(path: string, how: LockHow): Owner | undefined {
  return readOwners(path, how).find((owner) => livenessOfOwner(owner) !== 'dead');
}

/** SQLite says only "unable to open": asks the file system why. */
function errnoFor(path: string, sqliteCode: string): string {
  if (!sqliteCode.startsWith('SQLITE_')) return sqliteCode;
  try {
    if (lstatSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, constants.R_OK | constants.W_OK);
    return sqliteCode;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') return errnoOf(error) ?? sqliteCode;
  }
  try {
    accessSync(dirname(path), constants.W_OK);
    return sqliteCode === 'SQLITE_FULL' ? 'ENOSPC' : sqliteCode;
  } catch (error) {
    return errnoOf(error) ?? sqliteCode;
  }
}
