import { readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { HistoryReport } from '../core/control.js';
import type { Death } from '../core/death.js';
import { errnoOf, GatewardenError, messageOf } from '../core/errors.js';
import { type HistoryQuery, queryHistory, toHistoryRow } from './history-query.js';
import { newerError, SCHEMA_VERSION, schemaVersionOf } from './schema.js';
import { corruptError } from './sqlite.js';
import {
  type CauseCounters,
  type DesiredRecord,
  readCounterRows,
  readDeathRows,
  readDesiredRows,
  readNewestDeaths,
  readState,
  type StoredState,
} from './supervisor-state.js';
import { mergeWal } from './wal-image.js';

/*
 * For readers outside of the supervisor, also after it was killed and also on a full or
 * read-only disk: the files are read whole and looked at in memory; nothing is locked, written
 * or created. A store that does not exist yet reads as empty. All throw GatewardenError
 * schema-newer, store-corrupt or io-failed.
 *
 * Never for a process that has the same database open through SQLite: closing a file drops the
 * locks that this process holds on it (fcntl(2)).
 */

export function readHistory(path: string, query: HistoryQuery): HistoryReport {
  const report = readStore(path, (db) => ({
    rows: queryHistory(db, query).map(toHistoryRow),
    counters: Object.fromEntries(readCounterRows(db)),
  }));
  return report ?? { rows: [], counters: {} };
}

/** The newest deaths of a profile, oldest first. */
export function readDeaths(path: string, profile: string, limit: number): Death[] {
  return readStore(path, (db) => readDeathRows(db, profile, limit)) ?? [];
}

export function readDesired(path: string): ReadonlyMap<string, DesiredRecord> {
  return readStore(path, readDesiredRows) ?? new Map();
}

export function readCounters(path: string): ReadonlyMap<string, CauseCounters> {
  return readStore(path, readCounterRows) ?? new Map();
}

/** Everything at once, for a reader that needs more than one of the above: each reads the file. */
export function readStoredState(path: string): RememberedState | undefined {
  return readStore(path, (db) => ({ ...readState(db), newestDeaths: readNewestDeaths(db) }));
}

export interface RememberedState extends StoredState {
  /** by profile, also from before an operator's start, which clears what the verdicts count */
  readonly newestDeaths: ReadonlyMap<string, Death>;
}

function readStore<Result>(
  path: string,
  read: (db: Database.Database) => Result,
): Result | undefined {
  const image = readImage(path);
  if (image === undefined || image.length === 0) return undefined;
  let db: Database.Database | undefined;
  try {
    db = new Database(image);
    const version = schemaVersionOf(db);
    if (version > SCHEMA_VERSION) throw newerError(path, version);
    return version === 0 ? undefined : read(db);
  } catch (error) {
    throw error instanceof GatewardenError ? error : corruptError(path, error);
  } finally {
    db?.close();
  }
}

/** A checkpoint that runs between the two reads would mix two moments: then both are read again. */
const MAX_TRIES = 5;

function readImage(path: string): Buffer | undefined {
  try {
    for (let tried = 1; ; tried++) {
      const before = stampOf(path);
      const wal = readIfThere(`${path}-wal`);
      const main = readIfThere(path);
      if (main === undefined) return undefined;
      if (tried === MAX_TRIES || stampOf(path) === before) {
        return mergeWal(main, wal ?? Buffer.alloc(0));
      }
    }
  } catch (error) {
    throw new GatewardenError(
      'io-failed',
      { what: `cannot read ${path}`, reason: messageOf(error), hint: 'run this as its owner' },
      { cause: error },
    );
  }
}

function stampOf(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => `${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`)
    .join();
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
