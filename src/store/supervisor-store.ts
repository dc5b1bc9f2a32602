import type { HistoryRow } from '../core/control.js';
import type { RecordedEvent } from '../core/events.js';
import type { Desired } from '../core/status.js';
import type { HistoryQuery } from './history-query.js';
import { QueuedStore } from './queued-store.js';
import type { OpenGeneration, StoredState } from './supervisor-state.js';
import type { Bounds } from './supervisor-writer.js';

export interface StoreOptions {
  readonly path: string;
  /** once per outage: writing fails from now on; supervision goes on */
  readonly onFailing: (detail: string) => void;
  /** the outage is over and everything queued is on disk */
  readonly onRecovered: (written: number) => void;
  readonly retryMs?: number;
  /** events kept in memory during an outage */
  readonly maxPending?: number;
  readonly bounds?: Partial<Bounds>;
  readonly now?: () => number;
}

export interface SupervisorStore {
  /**
   * What earlier supervisors left; during an outage at the start as much as can be read, so it
   * is worth asking again when the outage is over.
   */
  load(): StoredState;
  /** keeps an event; a death is also counted and ends its generation */
  record(recorded: RecordedEvent): void;
  setDesired(profile: string, desired: Desired, by: string): void;
  openGeneration(generation: OpenGeneration): void;
  closeGeneration(profile: string, generation: number): void;
  /** an operator's start: the deaths recorded so far do not count any more */
  clearDeaths(profile: string): void;
  /** why nothing can be written at present; undefined when all is well */
  failing(): string | undefined;
  /** events that never reached the disk: the queue was full, or SQLite refused them */
  lost(): number;
  /** newest first, also what still waits to be written */
  history(query: HistoryQuery): HistoryRow[];
  /** oldest first: what a stream resumes with */
  eventsAfter(cursor: number, limit: number): RecordedEvent[];
  /** writes what it can, once, without waiting for anybody; may be called twice */
  close(): { readonly unwritten: number };
}

/**
 * Opens the supervisor's store, or starts without it and keeps trying: a full disk or a locked
 * database never stops supervision. There must be one writer, the process that holds the lock.
 * @throws GatewardenError schema-newer, store-corrupt: no retry can help
 */
export function openSupervisorStore(options: StoreOptions): SupervisorStore {
  return new QueuedStore(options);
}
