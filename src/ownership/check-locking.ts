import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/errors.js';
import { packageFile } from '../core/package-root.js';
import { acquireLock } from '../store/lock.js';
import { ownerPath } from '../store/lock-owner.js';
import { ownOwner } from '../store/place.js';

export type LockingVerdict =
  /** a second process was refused */
  | { readonly kind: 'works' }
  /** it got the lock too, or there are no locks at all */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'unmeasured'; readonly reason: string };

const RIVAL_MS = 10_000;

/** Measures whether locks in a directory exclude a second process; leaves nothing behind. */
export async function checkLocking(directory: string): Promise<LockingVerdict> {
  const name = `.lock-check.${process.pid}.${randomBytes(4).toString('hex')}`;
  const path = join(directory, name);
  const outcome = acquireLock(path, ownOwner(directory));
  if (outcome.kind === 'unusable') return withoutLock(outcome);
  try {
    if (outcome.kind === 'taken') {
      return { kind: 'broken', reason: 'a new file seems to be locked already' };
    }
    return judgeRival(await askRival(path));
  } catch (thrown) {
    return { kind: 'unmeasured', reason: messageOf(thrown) };
  } finally {
    if (outcome.kind === 'held') outcome.lock.release();
    rmSync(path, { force: true });
    rmSync(ownerPath(path), { force: true });
  }
}

/** What SQLite says of a file system that has no locks, or whose lock server is down. */
const LOCKLESS = /^(SQLITE_(IOERR_(RD)?LOCK|NOLFS|PROTOCOL)|ENOLCK|ENOTSUP|EOPNOTSUPP|ENOSYS)/;

/** Whether a lock failed because there is none to be had, not because the file is out of reach. */
export function isLockless(errno: string): boolean {
  return LOCKLESS.test(errno);
}

function withoutLock({ errno, text }: { errno: string; text: string }): LockingVerdict {
  return isLockless(errno)
    ? { kind: 'broken', reason: `${errno}: ${text}` }
    : { kind: 'unmeasured', reason: `${errno}: ${text}` };
}

function judgeRival(answer: string): LockingVerdict {
  if (answer === 'taken') return { kind: 'works' };
  if (answer === 'held') {
    return { kind: 'broken', reason: 'a second process took a lock that was held' };
  }
  return { kind: 'unmeasured', reason: `the second process answered ${answer || 'nothing'}` };
}

function askRival(path: string): Promise<string> {
  const program = packageFile('dist', 'bin', 'lock-rival.js');
  return new Promise((resolve, reject) => {
    const { PATH = '' } = process.env;
    const options = { timeout: RIVAL_MS, env: { PATH } };
    execFile(process.execPath, [program, path], options, (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else reject(error);
    });
  });
}
