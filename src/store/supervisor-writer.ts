import type Database from 'better-sqlite3';
import { profileOf, type RecordedEvent } from '../core/events.js';
import type { Batch, CounterWrite, RowWrite } from './pending-writes.js';
import { faultOf } from './sqlite.js';

export interface Bounds {
  readonly maxEvents: number;
  readonly maxDeathsPerProfile: number;
  readonly maxGenerationsPerProfile: number;
}

/** Puts batches into an open database; every batch is one immediate transaction (field case E12). */
export class SupervisorWriter {
  readonly #db: Database.Database;
  readonly #bounds: Bounds;
  readonly #statements: ReturnType<typeof prepare>;
  /** pruned on the first write, and then whenever this many events have come in */
  #untilPrune = 0;

  constructor(db: Database.Database, bounds: Bounds) {
    this.#db = db;
    this.#bounds = bounds;
    this.#statements = prepare(db);
  }

  /** @returns how many writes SQLite refused for what they are; all others are on disk */
  write(batch: Batch): number {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const refused = this.#apply(batch);
      this.#prune(batch.events.length);
      this.#db.exec('COMMIT');
      return refused;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #apply(batch: Batch): number {
    let refused = 0;
    const each = (write: () => void) => {
      try {
        write();
      } catch (error) {
        // one bad statement must not hold up all that come after it
        if (faultOf(error) !== 'statement') throw error;
        refused++;
      }
    };
    for (const [, row] of batch.rows) each(() => this.#writeRow(row));
    for (const counter of batch.counters) each(() => this.#count(counter));
    for (const recorded of batch.events) each(() => this.#writeEvent(recorded));
    return refused;
  }

  #writeRow(row: RowWrite): void {
    const { desired, clear, generation, ended } = this.#statements;
    switch (row.kind) {
      case 'desired':
        desired.run(row.profile, row.desired, row.by, row.at);
        return;
      case 'clear':
        clear.run(row.profile, row.cursor, row.at);
        return;
      case 'generation':
        generation.run({
          profile: row.profile,
          generation: row.generation,
          pid: row.identity.pid,
          startTicks: row.identity.startTicks ?? null,
          bootId: row.identity.bootId ?? null,
          spawnedAt: row.spawnedAt,
          containment: row.containment ?? null,
          endedAt: row.endedAt ?? null,
        });
        return;
      case 'ended':
        ended.run(row.endedAt, row.profile, row.generation);
        return;
      default:
        row satisfies never;
    }
  }

  #writeEvent({ cursor, at, event }: RecordedEvent): void {
    const text = JSON.stringify(event);
    const { changes } = this.#statements.event.run(
      cursor,
      // the column takes whole numbers only
      Math.round(at),
      profileOf(event) ?? null,
      event.code,
      text,
    );
    if (event.code !== 'died' || changes === 0) return;
    this.#statements.death.run(event.profile, cursor, JSON.stringify(event.death));
    this.#count({ profile: event.profile, cause: event.death.cause, count: 1 });
  }

  #count({ profile, cause, count }: CounterWrite): void {
    this.#statements.counter.run(profile, cause, count);
  }

  #prune(added: number): void {
    this.#untilPrune -= added;
    if (this.#untilPrune > 0) return;
    this.#untilPrune = Math.max(1, Math.floor(this.#bounds.maxEvents / PRUNES_PER_TURNOVER));
    const { pruneEvents, pruneDeaths, pruneGenerations } = this.#statements;
    pruneEvents.run(this.#bounds.maxEvents);
    pruneDeaths.run(this.#bounds.maxDeathsPerProfile);
    pruneGenerations.run(this.#bounds.maxGenerationsPerProfile);
  }
}

/** Pruning reads whole indexes, so it is done a hundred times per turnover, not per write. */
const PRUNES_PER_TURNOVER = 100;

function prepare(db: Database.Database) {
  return {
    event: db.prepare(
      'INSERT OR IGNORE INTO events (cursor, at, profile, code, event) VALUES (?, ?, ?, ?, ?)',
    ),
    death: db.prepare('INSERT OR REPLACE INTO deaths (profile, cursor, death) VALUES (?, ?, ?)'),
    counter: db.prepare(
      `INSERT INTO counters (profile, cause, count) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    ),
    desired: db.prepare(
      'INSERT OR REPLACE INTO desired (profile, desired, by, at) VALUES (?, ?, ?, ?)',
    ),
    clear: db.prepare('INSERT OR REPLACE INTO clears (profile, cursor, at) VALUES (?, ?, ?)'),
    generation: db.prepare(
      `INSERT OR REPLACE INTO generations
         (profile, generation, pid, start_ticks, boot_id, spawned_at, containment, ended_at)
       VALUES
         (@profile, @generation, @pid, @startTicks, @bootId, @spawnedAt, @containment, @endedAt)`,
    ),
    ended: db.prepare(
      `UPDATE generations SET ended_at = ?
        WHERE profile = ? AND generation = ? AND ended_at IS NULL`,
    ),
    pruneEvents: db.prepare(
      `DELETE FROM events
        WHERE cursor <= (SELECT cursor FROM events ORDER BY cursor DESC LIMIT 1 OFFSET ?)`,
    ),
    pruneDeaths: db.prepare(
      `DELETE FROM deaths WHERE (profile, cursor) IN (
         SELECT profile, cursor FROM (
           SELECT profile, cursor,
                  row_number() OVER (PARTITION BY profile ORDER BY cursor DESC) AS place
             FROM deaths)
          WHERE place > ?)`,
    ),
    pruneGenerations: db.prepare(
      `DELETE FROM generations WHERE ended_at IS NOT NULL AND (profile, generation) IN (
         SELECT profile, generation FROM (
           SELECT profile, generation,
                  row_number() OVER (PARTITION BY profile ORDER BY generation DESC) AS place
             FROM generations)
          WHERE place > ?)`,
    ),
  };
}
