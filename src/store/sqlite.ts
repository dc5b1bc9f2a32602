import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { errnoOf, GatewardenError, messageOf } from '../core/errors.js';

/**
 * Opens a database for its one writer. `timeout: 0`: the library is synchronous, so waiting for
 * somebody's lock would stop the event loop; callers queue and try again (field case E11).
 */
export function openForWriting(path: string): Database.Database {
  // SQLite would create it with the umask; what agents say is nobody else's business
  closeSync(openSync(path, 'a', 0o600));
  const db = new Database(path, { timeout: 0 });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    // a write-ahead log that grew during an outage shrinks again
    db.pragma('journal_size_limit = 8388608');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** How a fault of SQLite is met. */
export type SqliteFault =
  /** somebody else has it now: the same connection may be tried again */
  | 'busy'
  /** the file system is in the way: try again with a new connection */
  | 'io'
  /** the file is no database (any more) */
  | 'corrupt'
  /** this one statement is wrong; the others are not */
  | 'statement';

export function faultOf(error: unknown): SqliteFault {
  const code = errnoOf(error) ?? '';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt';
  if (/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(code)) return 'statement';
  return code === '' ? 'statement' : 'io';
}

/** `disk full`, `locked by another process`: for an operator at night. */
export function describeFault(error: unknown): string {
  const code = errnoOf(error) ?? '';
  for (const [prefix, words] of FAULT_WORDS) if (code.startsWith(prefix)) return words;
  return messageOf(error);
}

const FAULT_WORDS: readonly (readonly [string, string])[] = [
  ['SQLITE_BUSY', 'database locked by another process'],
  ['SQLITE_LOCKED', 'database locked by another process'],
  ['SQLITE_FULL', 'disk full'],
  ['ENOSPC', 'disk full'],
  // the shared-memory file of the write-ahead log could not grow
  ['SQLITE_IOERR_SHMSIZE', 'disk full'],
  ['SQLITE_READONLY', 'database is read-only'],
  ['EROFS', 'database is read-only'],
  ['EACCES', 'no permission to write the database'],
  ['SQLITE_CANTOPEN', 'database cannot be opened'],
  ['SQLITE_IOERR', 'input/output error'],
  ['SQLITE_CORRUPT', 'database is damaged'],
  ['SQLITE_NOTADB', 'file is not a database'],
];

export function corruptError(path: string, cause: unknown): GatewardenError {
  return new GatewardenError('store-corrupt', { path, reason: messageOf(cause) }, { cause });
}
