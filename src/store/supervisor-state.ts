import type Database from 'better-sqlite3';
import { CAUSES, type Cause, type Death } from '../core/death.js';
import type { ProcessIdentity } from '../core/process-identity.js';
import type { Desired } from '../core/status.js';

/** What an operator asked for, last; nothing but a verb changes it (field cases E1, E3). */
export interface DesiredRecord {
  readonly desired: Desired;
  readonly by: string;
  /** epoch milliseconds */
  readonly at: number;
}

export interface OpenGeneration {
  readonly profile: string;
  readonly generation: number;
  readonly identity: ProcessIdentity;
  /** epoch milliseconds */
  readonly spawnedAt: number;
  /** where its processes are found: a cgroup path, a session id; undefined when unknown */
  readonly containment: string | undefined;
}

export type CauseCounters = Readonly<Record<Cause, number>>;

/** Everything a supervisor must know from before its own start. */
export interface StoredState {
  readonly desired: ReadonlyMap<string, DesiredRecord>;
  readonly counters: ReadonlyMap<string, CauseCounters>;
  /** per profile since its deaths were last cleared, oldest first, the newest 200 */
  readonly deaths: ReadonlyMap<string, readonly Death[]>;
  /** the highest generation number used so far, per profile */
  readonly generations: ReadonlyMap<string, number>;
  /** spawned and never seen to end: leftovers to sweep */
  readonly open: readonly OpenGeneration[];
  readonly nextCursor: number;
}

export const NO_COUNTS: CauseCounters = Object.freeze(
  Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>,
);

const LOADED_DEATHS = 200;

export function readState(db: Database.Database): StoredState {
  return {
    desired: readDesiredRows(db),
    counters: readCounterRows(db),
    deaths: readDeathsSinceClear(db),
    generations: readLastGenerations(db),
    open: readOpenGenerations(db),
    nextCursor: lastCursorOf(db) + 1,
  };
}

export function readDesiredRows(db: Database.Database): Map<string, DesiredRecord> {
  const rows = db
    .prepare<[], DesiredRecord & { profile: string }>(
      'SELECT profile, desired, by, at FROM desired',
    )
    .all();
  return new Map(rows.map(({ profile, ...record }) => [profile, record]));
}

export function readCounterRows(db: Database.Database): Map<string, CauseCounters> {
  const rows = db
    .prepare<[], { profile: string; cause: Cause; count: number }>(
      'SELECT profile, cause, count FROM counters',
    )
    .all();
  const counters = new Map<string, Record<Cause, number>>();
  for (const { profile, cause, count } of rows) {
    const known = counters.get(profile) ?? { ...NO_COUNTS };
    known[cause] = count;
    counters.set(profile, known);
  }
  return counters;
}

/** The newest deaths of one profile, oldest first, also those from before a clear. */
export function readDeathRows(db: Database.Database, profile: string, limit: number): Death[] {
  return db
    .prepare<[string, number], { death: string }>(
      'SELECT death FROM deaths WHERE profile = ? ORDER BY cursor DESC LIMIT ?',
    )
    .all(profile, limit)
    .map((row) => JSON.parse(row.death) as Death)
    .reverse();
}

/** The newest death of each profile, also from before a clear. */
export function readNewestDeaths(db: Database.Database): Map<string, Death> {
  const rows = db
    .prepare<[], { profile: string; death: string }>(
      `SELECT profile, death FROM deaths
        WHERE cursor IN (SELECT max(cursor) FROM deaths GROUP BY profile)`,
    )
    .all();
  return new Map(rows.map(({ profile, death }) => [profile, JSON.parse(death) as Death]));
}

export function lastCursorOf(db: Database.Database): number {
  const row = db
    .prepare<[], { last: number | null }>(
      `SELECT max(
         coalesce((SELECT max(cursor) FROM events), 0),
         coalesce((SELECT max(cursor) FROM deaths), 0),
         coalesce((SELECT max(cursor) FROM clears), 0)) AS last`,
    )
    .get();
  return row?.last ?? 0;
}

function readDeathsSinceClear(db: Database.Database): Map<string, readonly Death[]> {
  const profiles = db.prepare<[], { profile: string }>('SELECT DISTINCT profile FROM deaths').all();
  const newest = db.prepare<[string, string, number], { death: string }>(
    `SELECT death FROM deaths
      WHERE profile = ? AND cursor > coalesce((SELECT cursor FROM clears WHERE profile = ?), 0)
      ORDER BY cursor DESC LIMIT ?`,
  );
  return new Map(
    profiles.map(({ profile }) => {
      const rows = newest.all(profile, profile, LOADED_DEATHS);
      return [profile, rows.map((row) => JSON.parse(row.death) as Death).reverse()] as const;
    }),
  );
}

function readLastGenerations(db: Database.Database): Map<string, number> {
  const rows = db
    .prepare<[], { profile: string; last: number }>(
      'SELECT profile, max(generation) AS last FROM generations GROUP BY profile',
    )
    .all();
  return new Map(rows.map(({ profile, last }) => [profile, last]));
}

interface GenerationRow {
  readonly profile: string;
  readonly generation: number;
  readonly pid: number;
  readonly start_ticks: number | null;
  readonly boot_id: string | null;
  readonly spawned_at: number;
  readonly containment: string | null;
}

function readOpenGenerations(db: Database.Database): OpenGeneration[] {
  return db
    .prepare<[], GenerationRow>('SELECT * FROM generations WHERE ended_at IS NULL')
    .all()
    .map((row) => ({
      profile: row.profile,
      generation: row.generation,
      identity: {
        pid: row.pid,
        startTicks: row.start_ticks ?? undefined,
        bootId: row.boot_id ?? undefined,
      },
      spawnedAt: row.spawned_at,
      containment: row.containment ?? undefined,
    }));
}
