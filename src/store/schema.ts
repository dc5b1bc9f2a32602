import type Database from 'better-sqlite3';
import { GatewardenError } from '../core/errors.js';

/**
 * The schema of supervisor.db, one step per version; `user_version` counts them. A released
 * step is never edited, only followed by another.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE events (
     cursor INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     profile TEXT,
     code TEXT NOT NULL,
     event TEXT NOT NULL
   ) STRICT;
   CREATE INDEX events_by_profile ON events (profile, cursor);

   CREATE TABLE deaths (
     profile TEXT NOT NULL,
     cursor INTEGER NOT NULL,
     death TEXT NOT NULL,
     PRIMARY KEY (profile, cursor)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE counters (
     profile TEXT NOT NULL,
     cause TEXT NOT NULL,
     count INTEGER NOT NULL,
     PRIMARY KEY (profile, cause)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE desired (
     profile TEXT PRIMARY KEY,
     desired TEXT NOT NULL CHECK (desired IN ('running', 'stopped')),
     by TEXT NOT NULL,
     at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE clears (
     profile TEXT PRIMARY KEY,
     cursor INTEGER NOT NULL,
     at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE generations (
     profile TEXT NOT NULL,
     generation INTEGER NOT NULL,
     pid INTEGER NOT NULL,
     start_ticks INTEGER,
     boot_id TEXT,
     spawned_at INTEGER NOT NULL,
     containment TEXT,
     ended_at INTEGER,
     PRIMARY KEY (profile, generation)
   ) STRICT, WITHOUT ROWID;`,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings a database to the current schema in one transaction.
 * @throws GatewardenError schema-newer
 */
export function migrate(db: Database.Database, path: string): void {
  const found = schemaVersionOf(db);
  if (found > SCHEMA_VERSION) throw newerError(path, found);
  if (found === SCHEMA_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of MIGRATIONS.slice(schemaVersionOf(db))) db.exec(step);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

export function schemaVersionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

export function newerError(path: string, found: number): GatewardenError {
  return new GatewardenError('schema-newer', {
    path,
    wanted: String(SCHEMA_VERSION),
    got: String(found),
  });
}
