import type { Database } from 'better-sqlite3';
import { formatDuration } from '../../core/durations.js';
import { errnoOf, GatewardenError, messageOf } from '../../core/errors.js';
import { monotonicMs } from '../../core/monotonic.js';
import type { NoticeRecord } from '../notices/judge-notice.js';
import type { BootRecord } from '../resume/judge-loop.js';
import type { PendingSession } from '../resume/plan-resume.js';
import { classifyStoreFault } from './faults.js';
import { openDatabase } from './open.js';
import type { History, SessionRecord, StoreWrite } from './records.js';
import { Statements } from './statements.js';
import { overlayHistory, overlaySession } from './waiting-writes.js';

export interface SessionStoreOptions {
  readonly path: string;
  /** the process before us ended without a word: the file is checked */
  readonly isSuspect?: boolean;
  /** how often waiting writes are tried again when nobody writes */
  readonly retryMs?: number;
  /** writes that may wait for a disk; newer ones are given up and counted */
  readonly maxWaiting?: number;
  /** called with the reason when writes begin to wait, and with undefined when all are in */
  readonly onHealth: (trouble: string | undefined) => void;
}

const DEFAULT_RETRY_MS = 5000;
const DEFAULT_MAX_WAITING = 2000;

export async function openSessionStore(options: SessionStoreOptions): Promise<SessionStore> {
  const { path, isSuspect } = options;
  return new SessionStore(await openDatabase(path, isSuspect), options);
}

/**
 * Sessions and messages of one profile. A disk that takes no writes does not stop turns: writes
 * wait in memory, in order, reads see them, and the next write that works brings them all in.
 */
export class SessionStore {
  #database: Database;
  #statements: Statements;
  readonly #options: Required<Omit<SessionStoreOptions, 'isSuspect'>>;
  #waiting: StoreWrite[] = [];
  /** since when the oldest of them waits; monotonic */
  #waitingSinceMs: number | undefined;
  #givenUp = 0;
  #retry: NodeJS.Timeout | undefined;
  /** sessions that a crash of the gateway before us cut off */
  readonly recovered: number;

  constructor(database: Database, options: SessionStoreOptions) {
    this.#database = database;
    this.#options = { retryMs: DEFAULT_RETRY_MS, maxWaiting: DEFAULT_MAX_WAITING, ...options };
    this.#statements = new Statements(database);
    this.recovered = this.#statements.recoverCrashed();
  }

  /** @throws GatewardenError io-failed: a session that cannot be read is never a new one */
  openSession(key: string): SessionRecord | undefined {
    const stored = this.#read(() => this.#statements.openSession(key));
    return overlaySession(this.#waiting, key, stored);
  }

  /** @throws GatewardenError io-failed: a history that cannot be read is never an empty one */
  history(sessionId: string, limit: number): History {
    if (limit <= 0) return [];
    const stored = this.#read(() => this.#statements.history(sessionId, limit));
    return overlayHistory(this.#waiting, sessionId, stored).slice(-limit);
  }

  /** True when this message of the conversation runs or was answered. */
  hasTaken(sessionKey: string, platformMessageId: string): boolean {
    return this.#read(() => this.#statements.hasTaken(sessionKey, platformMessageId));
  }

  /** Conversations that were cut off and are neither answered nor set aside. */
  pendingSessions(): readonly PendingSession[] {
    return this.#read(() => this.#statements.resume.pending());
  }

  /**
   * Remembers this start and what the life before it had cut off.
   * @returns the newest starts, newest first, with this one
   */
  recordBoot(at: number): readonly BootRecord[] {
    return this.#statements.resume.recordBoot(at);
  }

  /** What each chat was told of stops and restarts; nothing where it cannot be read. */
  notices(): readonly NoticeRecord[] {
    return this.#database.open ? this.#read(() => this.#statements.resume.notices()) : [];
  }

  /** All or nothing; waits in memory while the disk takes no writes. */
  write(...writes: StoreWrite[]): void {
    // a turn that outlived the whole drain: there is nobody left to remember it
    if (!this.#database.open) return;
    this.#waiting.push(...writes);
    this.#flush();
  }

  /**
   * Shows that the writer works: what waits gets in, or the file can at least be locked.
   * @throws when it does not, with the age of the oldest write that waits
   */
  prove(): void {
    if (!this.#database.open) return;
    this.#flush();
    if (this.#waitingSinceMs !== undefined) {
      const age = formatDuration(monotonicMs() - this.#waitingSinceMs);
      const writes = this.#waiting.length === 1 ? 'write waits' : 'writes wait';
      throw new Error(`${this.#waiting.length} ${writes}, the oldest for ${age}`);
    }
    this.#statements.lock();
  }

  /** A file of which the handle is bad may still be good; what waits is tried again at once. */
  async reopen(): Promise<void> {
    if (!this.#database.open) return;
    const database = await openDatabase(this.#options.path);
    const before = this.#database;
    // closed meanwhile: it stays closed
    if (!before.open) {
      database.close();
      return;
    }
    this.#statements = new Statements(database);
    this.#database = database;
    before.close();
    this.#flush();
  }

  /** The last try; what still waits is lost and counted in the answer. */
  close(): number {
    if (!this.#database.open) return 0;
    this.#flush();
    clearTimeout(this.#retry);
    this.#database.close();
    return this.#waiting.length + this.#givenUp;
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    try {
      this.#statements.apply(this.#waiting);
    } catch (thrown) {
      this.#postpone(thrown);
      return;
    }
    this.#waiting = [];
    this.#waitingSinceMs = undefined;
    if (this.#retry === undefined) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#options.onHealth(undefined);
  }

  #postpone(thrown: unknown): void {
    const fault = classifyStoreFault(thrown);
    if (fault === 'bug') {
      this.#waiting = [];
      this.#waitingSinceMs = undefined;
      throw thrown;
    }
    const excess = Math.max(0, this.#waiting.length - this.#options.maxWaiting);
    // the newest: what was taken before stays a consistent story
    this.#waiting.splice(this.#options.maxWaiting, excess);
    this.#givenUp += excess;
    this.#waitingSinceMs ??= monotonicMs();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#flush(), this.#options.retryMs).unref();
    this.#options.onHealth(this.#describe(thrown));
  }

  #describe(thrown: unknown): string {
    const lost = this.#givenUp > 0 ? `, ${this.#givenUp} given up` : '';
    const reason = `${messageOf(thrown)} (${errnoOf(thrown) ?? 'unknown'})`;
    return `messages are not being saved: ${reason}; ${this.#waiting.length} writes wait${lost}`;
  }

  #read<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (thrown) {
      if (classifyStoreFault(thrown) === 'bug') throw thrown;
      throw new GatewardenError(
        'io-failed',
        {
          what: `cannot read ${this.#database.name}`,
          reason: messageOf(thrown),
          hint: 'look at the health of its disk; nothing in it was changed',
        },
        { cause: thrown },
      );
    }
  }
}
