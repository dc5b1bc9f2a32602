import type { HistoryRow } from '../core/control.js';
import { GatewardenError } from '../core/errors.js';
import type { RecordedEvent } from '../core/events.js';
import type { Desired } from '../core/status.js';
import {
  type HistoryQuery,
  matchesQuery,
  queryAfter,
  queryHistory,
  toHistoryRow,
} from './history-query.js';
import { PendingWrites, type RowWrite } from './pending-writes.js';
import { corruptError, describeFault, faultOf } from './sqlite.js';
import { StoreConnection } from './store-connection.js';
import type { OpenGeneration, StoredState } from './supervisor-state.js';
import type { StoreOptions, SupervisorStore } from './supervisor-store.js';

const DEFAULT_RETRY_MS = 1000;
const DEFAULT_MAX_PENDING = 10_000;
/** keeps the loop free while a long outage is caught up with */
const EVENTS_PER_TRANSACTION = 500;

const EMPTY_STATE: StoredState = Object.freeze({
  desired: new Map(),
  counters: new Map(),
  deaths: new Map(),
  generations: new Map(),
  open: [],
  nextCursor: 1,
});

/** Everything goes through a queue in memory, so that no fault of the disk reaches a caller. */
export class QueuedStore implements SupervisorStore {
  readonly #options: StoreOptions;
  readonly #now: () => number;
  readonly #pending: PendingWrites;
  readonly #connection: StoreConnection;
  #flushing: NodeJS.Immediate | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #failing: string | undefined;
  #lastCursor = 0;
  #writtenSinceFailing = 0;
  #refused = 0;
  #closed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#pending = new PendingWrites(options.maxPending ?? DEFAULT_MAX_PENDING);
    this.#connection = new StoreConnection(options.path, options.bounds);
    try {
      this.#lastCursor = this.#connection.open();
    } catch (error) {
      if (error instanceof GatewardenError) throw error;
      if (faultOf(error) === 'corrupt') throw corruptError(options.path, error);
      // the clock is ahead of every cursor on disk, given less than one event per millisecond
      this.#lastCursor = this.#now();
      this.#fail(error);
    }
  }

  load(): StoredState {
    if (this.#failing === undefined) this.#flush();
    const state = this.#tryRead(() => this.#connection.readState()) ?? EMPTY_STATE;
    this.#lastCursor = Math.max(this.#lastCursor, state.nextCursor - 1);
    return { ...state, nextCursor: this.#lastCursor + 1 };
  }

  record(recorded: RecordedEvent): void {
    const { event } = recorded;
    this.#lastCursor = Math.max(this.#lastCursor, recorded.cursor);
    this.#pending.addEvent(recorded);
    if (event.code === 'died') {
      const { generation, at } = event.death;
      this.#pending.addRow({ kind: 'ended', profile: event.profile, generation, endedAt: at });
    }
    // events of one turn of the loop share a transaction
    if (this.#failing === undefined) this.#flushSoon();
  }

  setDesired(profile: string, desired: Desired, by: string): void {
    this.#writeNow({ kind: 'desired', profile, desired, by, at: this.#now() });
  }

  openGeneration(generation: OpenGeneration): void {
    this.#writeNow({ kind: 'generation', ...generation, endedAt: undefined });
  }

  closeGeneration(profile: string, generation: number): void {
    this.#writeNow({ kind: 'ended', profile, generation, endedAt: this.#now() });
  }

  clearDeaths(profile: string): void {
    this.#writeNow({ kind: 'clear', profile, cursor: this.#lastCursor, at: this.#now() });
  }

  failing(): string | undefined {
    return this.#failing;
  }

  lost(): number {
    return this.#pending.dropped + this.#refused;
  }

  history(query: HistoryQuery): HistoryRow[] {
    const waiting = this.#pending.events.filter((one) => matchesQuery(one, query)).reverse();
    const stored = this.#tryRead(() => this.#connection.read((db) => queryHistory(db, query)));
    return [...waiting, ...(stored ?? [])].slice(0, query.limit).map(toHistoryRow);
  }

  eventsAfter(cursor: number, limit: number): RecordedEvent[] {
    const stored = this.#tryRead(() =>
      this.#connection.read((db) => queryAfter(db, cursor, limit)),
    );
    const waiting = this.#pending.events.filter((one) => one.cursor > cursor);
    return [...(stored ?? []), ...waiting].slice(0, limit);
  }

  close(): { readonly unwritten: number } {
    if (!this.#closed) {
      do this.#flush();
      while (this.#failing === undefined && !this.#pending.isEmpty);
      this.#closed = true;
      clearTimeout(this.#retrying);
      clearImmediate(this.#flushing);
      this.#connection.close();
    }
    return { unwritten: this.#pending.events.length };
  }

  #writeNow(row: RowWrite): void {
    this.#pending.addRow(row);
    if (this.#failing === undefined) this.#flush();
  }

  #flushSoon(): void {
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    if (this.#closed || (this.#pending.isEmpty && this.#failing === undefined)) return;
    try {
      const batch = this.#pending.next(EVENTS_PER_TRANSACTION);
      this.#refused += this.#connection.write(batch);
      this.#pending.settle(batch);
      this.#writtenSinceFailing += batch.events.length;
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!this.#pending.isEmpty) this.#flushSoon();
    else if (this.#failing !== undefined) this.#recover();
  }

  #fail(error: unknown): void {
    const isNews = this.#failing === undefined;
    this.#failing = describeFault(error);
    if (faultOf(error) !== 'busy') this.#connection.close();
    clearTimeout(this.#retrying);
    const retryMs = this.#options.retryMs ?? DEFAULT_RETRY_MS;
    this.#retrying = setTimeout(() => this.#flush(), retryMs).unref();
    if (!isNews) return;
    this.#writtenSinceFailing = 0;
    // later, because the caller may not have this store in its hands yet
    const detail = this.#failing;
    queueMicrotask(() => this.#options.onFailing(detail));
  }

  #recover(): void {
    this.#failing = undefined;
    this.#options.onRecovered(this.#writtenSinceFailing);
  }

  #tryRead<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      if (!this.#closed) this.#fail(error);
      return undefined;
    }
  }
}
