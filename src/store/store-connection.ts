import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { ensureDirectory } from './directory.js';
import type { Batch } from './pending-writes.js';
import { migrate } from './schema.js';
import { openForWriting } from './sqlite.js';
import { readStoredState } from './supervisor-reader.js';
import { lastCursorOf, readState, type StoredState } from './supervisor-state.js';
import { type Bounds, SupervisorWriter } from './supervisor-writer.js';

const DEFAULT_BOUNDS: Bounds = Object.freeze({
  maxEvents: 100_000,
  maxDeathsPerProfile: 1000,
  maxGenerationsPerProfile: 100,
});

/** The database while it can be had; opened again after a fault that broke it. */
export class StoreConnection {
  readonly #path: string;
  readonly #bounds: Bounds;
  #db: Database.Database | undefined;
  #writer: SupervisorWriter | undefined;

  constructor(path: string, bounds: Partial<Bounds> = {}) {
    this.#path = path;
    this.#bounds = { ...DEFAULT_BOUNDS, ...bounds };
  }

  /** Opens if need be. @returns the newest cursor on disk */
  open(): number {
    if (this.#db === undefined) this.#connect();
    return this.read(lastCursorOf) ?? 0;
  }

  /** @returns how many writes were refused for what they are */
  write(batch: Batch): number {
    if (this.#writer === undefined) this.#connect();
    return this.#writer?.write(batch) ?? 0;
  }

  /** Undefined while there is no connection. */
  read<Result>(read: (db: Database.Database) => Result): Result | undefined {
    return this.#db === undefined ? undefined : read(this.#db);
  }

  /** Without a connection the files are read as they lie there: a full disk still tells the past. */
  readState(): StoredState | undefined {
    return this.read(readState) ?? readStoredState(this.#path);
  }

  close(): void {
    try {
      this.#db?.close();
    } catch {
      // its last checkpoint failed as the write before it did; the log keeps what it has
    }
    this.#db = undefined;
    this.#writer = undefined;
  }

  #connect(): void {
    ensureDirectory(dirname(this.#path));
    const db = openForWriting(this.#path);
    try {
      migrate(db, this.#path);
      this.#writer = new SupervisorWriter(db, this.#bounds);
      this.#db = db;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}
