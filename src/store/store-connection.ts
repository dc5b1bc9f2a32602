import { renameSync, statSync, writeFileSync } from 'node:fs';
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
  #inode: number | undefined;

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
    this.#noticeLoss();
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

  /**
   * A file that was deleted under us lives on for us alone: it is written again from there, or
   * the next supervisor would know nothing of what an operator wanted. Another file in its place
   * is somebody's doing: it is used, and its loss of ours is told.
   */
  #noticeLoss(): void {
    if (this.#db === undefined) return;
    const inode = inodeOf(this.#path);
    if (inode === this.#inode) return;
    if (inode !== undefined) {
      throw new Error(`${this.#path} was replaced by another file, which is used from now on`);
    }
    const content = this.#db.serialize();
    // first: closing removes the log that belongs to the path
    this.close();
    ensureDirectory(dirname(this.#path));
    const temporary = `${this.#path}.restored`;
    writeFileSync(temporary, content, { mode: OWNER_ONLY });
    renameSync(temporary, this.#path);
  }

  #connect(): void {
    ensureDirectory(dirname(this.#path));
    const db = openForWriting(this.#path);
    try {
      migrate(db, this.#path);
      this.#writer = new SupervisorWriter(db, this.#bounds);
      this.#db = db;
      this.#inode = inodeOf(this.#path);
    } catch (error) {
      db.close();
      throw error;
    }
  }
}

const OWNER_ONLY = 0o600;

/** Looks at the name only: opening and closing the file would drop SQLite's locks on it. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
