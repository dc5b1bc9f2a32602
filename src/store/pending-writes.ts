import type { Cause } from '../core/death.js';
import type { RecordedEvent } from '../core/events.js';
import type { DesiredRecord, OpenGeneration } from './supervisor-state.js';

/** A fact of which only the newest value matters. */
export type RowWrite =
  | ({ readonly kind: 'desired'; readonly profile: string } & DesiredRecord)
  | {
      readonly kind: 'clear';
      readonly profile: string;
      /** deaths up to this cursor do not count any more */
      readonly cursor: number;
      readonly at: number;
    }
  | ({ readonly kind: 'generation'; readonly endedAt: number | undefined } & OpenGeneration)
  | {
      readonly kind: 'ended';
      readonly profile: string;
      readonly generation: number;
      readonly endedAt: number;
    };

export interface CounterWrite {
  readonly profile: string;
  readonly cause: Cause;
  readonly count: number;
}

export interface Batch {
  readonly rows: readonly (readonly [string, RowWrite])[];
  readonly counters: readonly CounterWrite[];
  readonly events: readonly RecordedEvent[];
}

/**
 * What waits to be written. Events are bounded, the oldest go first; what an operator asked
 * for is never dropped, and a dropped death is still counted.
 */
export class PendingWrites {
  readonly #maxEvents: number;
  readonly #rows = new Map<string, RowWrite>();
  readonly #counters = new Map<string, CounterWrite>();
  #events: RecordedEvent[] = [];
  #dropped = 0;

  constructor(maxEvents: number) {
    this.#maxEvents = maxEvents;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0 && this.#counters.size === 0 && this.#events.length === 0;
  }

  /** events lost since the start because the queue was full */
  get dropped(): number {
    return this.#dropped;
  }

  get events(): readonly RecordedEvent[] {
    return this.#events;
  }

  get rows(): Iterable<RowWrite> {
    return this.#rows.values();
  }

  addEvent(recorded: RecordedEvent): void {
    this.#events.push(recorded);
    // dropped a tenth at a time: shifting one by one would cost more with every event
    if (this.#events.length > this.#maxEvents * 1.1) {
      this.#drop(this.#events.length - this.#maxEvents);
    }
  }

  addRow(row: RowWrite): void {
    const key = keyOf(row);
    const merged = mergeRow(this.#rows.get(key), row);
    this.#rows.delete(key);
    this.#rows.set(key, merged);
    if (this.#rows.size > this.#maxEvents) this.#forgetOneEnded();
  }

  next(maxEvents: number): Batch {
    return {
      rows: [...this.#rows],
      counters: [...this.#counters.values()],
      events: this.#events.slice(0, maxEvents),
    };
  }

  /** The batch is on disk; nothing may have been added since `next`. */
  settle(batch: Batch): void {
    for (const [key] of batch.rows) this.#rows.delete(key);
    this.#counters.clear();
    this.#events.splice(0, batch.events.length);
  }

  #drop(count: number): void {
    for (const { event } of this.#events.splice(0, count)) {
      if (event.code !== 'died') continue;
      const { cause } = event.death;
      const key = `${event.profile} ${cause}`;
      const before = this.#counters.get(key)?.count ?? 0;
      this.#counters.set(key, { profile: event.profile, cause, count: before + 1 });
    }
    this.#dropped += count;
  }

  #forgetOneEnded(): void {
    for (const [key, row] of this.#rows) {
      if (row.kind !== 'ended' && !(row.kind === 'generation' && row.endedAt !== undefined))
        continue;
      this.#rows.delete(key);
      return;
    }
  }
}

function keyOf(row: RowWrite): string {
  switch (row.kind) {
    case 'desired':
    case 'clear':
      return `${row.kind} ${row.profile}`;
    case 'generation':
    case 'ended':
      return `generation ${row.profile} ${row.generation}`;
    default:
      return row satisfies never;
  }
}

/** The end of a generation that is still waiting itself makes one complete row. */
function mergeRow(before: RowWrite | undefined, row: RowWrite): RowWrite {
  return row.kind === 'ended' && before?.kind === 'generation'
    ? { ...before, endedAt: before.endedAt ?? row.endedAt }
    : row;
}
