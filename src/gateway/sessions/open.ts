import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { GatewardenError } from '../../core/errors.js';
import { toOpenError } from './faults.js';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.js';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** The library is synchronous: while it waits the whole gateway stands still (field case E11). */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens (and creates, or migrates) a profile's state.db. The caller owns gateway.lock already:
 * this is the file's only process.
 * @param isSuspect whoever wrote it last ended without a word: only then it is worth the time
 * @throws GatewardenError schema-newer, store-corrupt, home-unusable, io-failed
 */
export async function openDatabase(path: string, isSuspect = false): Promise<Database> {
  const { default: Sqlite } = await import('better-sqlite3');
  let database: Database | undefined;
  try {
    createPrivately(path);
    database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    // a write that a full disk made us give up must not make a later one fail (store.ts)
    database.pragma('foreign_keys = OFF');
    // inside the file's own transaction log nothing is lost on a crash of ours, only on power loss
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    if (isSuspect) checkIntegrity(database, path);
    migrate(database, path);
    return database;
  } catch (thrown) {
    database?.close();
    throw toOpenError(path, thrown);
  }
}

/**
 * SQLite gives its side files the mode of the main file, so that one is made first. An existing
 * file is never opened here: closing any descriptor of it would drop SQLite's locks.
 */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  if (existsSync(path)) chmodSync(path, FILE_MODE);
  else closeSync(openSync(path, 'wx', FILE_MODE));
}

function checkIntegrity(database: Database, path: string): void {
  const verdict: unknown = database.pragma('quick_check(1)', { simple: true });
  if (verdict === 'ok') return;
  throw new GatewardenError('store-corrupt', { path, reason: String(verdict) });
}

function migrate(database: Database, path: string): void {
  const version = readVersion(database, path);
  if (version > SCHEMA_VERSION) {
    throw new GatewardenError('schema-newer', {
      path,
      wanted: String(SCHEMA_VERSION),
      got: String(version),
    });
  }
  if (version === SCHEMA_VERSION) return;
  database
    .transaction(() => {
      for (const step of MIGRATIONS.slice(version)) database.exec(step);
      database.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT');
      database.exec('DELETE FROM schema_version');
      database.prepare('INSERT INTO schema_version (version) VALUES (?)').run(SCHEMA_VERSION);
    })
    .immediate();
}

function readVersion(database: Database, path: string): number {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all() as string[];
  if (tables.length === 0) return 0;
  if (!tables.includes('schema_version')) throw foreign(path);
  const version: unknown = database.prepare('SELECT version FROM schema_version').pluck().get();
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) throw foreign(path);
  return version;
}

function foreign(path: string): GatewardenError {
  return new GatewardenError('store-corrupt', {
    path,
    reason: 'it has no schema version, so another program wrote it',
  });
}
