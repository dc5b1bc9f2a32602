import type Database from 'better-sqlite3';
import type { HistoryRow } from '../core/control.js';
import { profileOf, type RecordedEvent, type SupervisorEvent } from '../core/events.js';

export interface HistoryQuery {
  readonly profile?: string | undefined;
  /** only events at or after this moment, epoch milliseconds */
  readonly sinceMs?: number | undefined;
  readonly afterCursor?: number | undefined;
  readonly limit: number;
}

/** Stored events that match, newest first. */
export function queryHistory(db: Database.Database, query: HistoryQuery): RecordedEvent[] {
  const byProfile = query.profile === undefined ? '' : 'AND profile = @profile';
  return db
    .prepare<object, EventRow>(
      `SELECT cursor, at, event FROM events
        WHERE cursor > @afterCursor AND at >= @sinceMs ${byProfile}
        ORDER BY cursor DESC LIMIT @limit`,
    )
    .all({
      profile: query.profile,
      sinceMs: query.sinceMs ?? 0,
      afterCursor: query.afterCursor ?? -1,
      limit: query.limit,
    })
    .map(toRecorded);
}

/** Stored events after a cursor, oldest first: what a stream resumes with. */
export function queryAfter(
  db: Database.Database,
  afterCursor: number,
  limit: number,
): RecordedEvent[] {
  return db
    .prepare<[number, number], EventRow>(
      'SELECT cursor, at, event FROM events WHERE cursor > ? ORDER BY cursor LIMIT ?',
    )
    .all(afterCursor, limit)
    .map(toRecorded);
}

/** The same question for events that are not on disk yet. */
export function matchesQuery(recorded: RecordedEvent, query: HistoryQuery): boolean {
  if (query.profile !== undefined && profileOf(recorded.event) !== query.profile) return false;
  if (recorded.at < (query.sinceMs ?? 0)) return false;
  return recorded.cursor > (query.afterCursor ?? -1);
}

export function toHistoryRow({ cursor, at, event }: RecordedEvent): HistoryRow {
  return { cursor, at: new Date(at).toISOString(), event };
}

interface EventRow {
  readonly cursor: number;
  readonly at: number;
  readonly event: string;
}

function toRecorded(row: EventRow): RecordedEvent {
  return { cursor: row.cursor, at: row.at, event: JSON.parse(row.event) as SupervisorEvent };
}
