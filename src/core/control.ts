import type { RecordedEvent, Verb } from './events.js';

/** Shapes of the control API beyond `status`: jobs, history, errors (design §11). */

export type JobPhase =
  | 'draining'
  | 'starting'
  | 'waiting'
  /** observed as asked */
  | 'done'
  /** ended differently: parked, backing off, superseded by an opposite verb */
  | 'failed';

/** A verb in progress; idempotent verbs on one profile share a job. */
export interface Job {
  readonly id: string;
  readonly profile: string;
  readonly verb: Verb;
  readonly phase: JobPhase;
  /** best guess of the time left; null when unknown */
  readonly etaMs: number | null;
  /** why it failed, or what it waits for */
  readonly detail: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

export interface VerbRequest {
  /** skip the drain (`restart --now`, `stop --now`) */
  readonly now: boolean;
  readonly by: string;
}

/** One row of `GET /v1/history`, newest first. */
export interface HistoryRow {
  readonly cursor: number;
  readonly at: string;
  readonly event: RecordedEvent['event'];
}

export interface HistoryReport {
  readonly rows: readonly HistoryRow[];
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Every error answer of the control API. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly next: string };
}
