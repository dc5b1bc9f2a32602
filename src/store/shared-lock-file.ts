import { closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../core/errors.js';
import { ensureDirectory } from './directory.js';

/** Whoever competes for the lock must be able to open the file for writing. */
const FOR_ALL = 0o666;

/**
 * Makes sure that a lock file stands in a directory where others may write too. It is made by a
 * call of its own, because with O_CREAT the kernel refuses another user's file in a sticky
 * directory (fs.protected_regular); and what is there must be an empty file with one name, never
 * a link that leads the database library elsewhere.
 */
export function prepareSharedFile(path: string): void {
  if (inspect(path)) return;
  try {
    make(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      ensureDirectory(dirname(path));
      make(path);
    } else if (errnoOf(error) !== 'EEXIST' || !inspect(path)) throw error;
  }
}

function inspect(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isFile() && stat.nlink === 1 && stat.size === 0) return true;
  throw Object.assign(new Error(`${path} is not an empty file of one name`), { code: 'EEXIST' });
}

function make(path: string): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  const fd = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, FOR_ALL);
  try {
    // the umask took some of it
    fchmodSync(fd, FOR_ALL);
  } finally {
    closeSync(fd);
  }
}
