import type { Cause, Death } from '../../src/core/death.js';
import type { RecordedEvent } from '../../src/core/events.js';
import {
  openSupervisorStore,
  type StoreOptions,
  type SupervisorStore,
} from '../../src/store/index.js';

export function phaseAt(cursor: number, profile = 'coder'): RecordedEvent {
  return { cursor, at: cursor * 1000, event: { code: 'phase', profile, phase: `step ${cursor}` } };
}

export function diedAt(cursor: number, profile = 'coder', cause: Cause = 'failure'): RecordedEvent {
  const death: Death = {
    profile,
    generation: cursor,
    pid: 1000 + cursor,
    outcome: { kind: 'code', code: 1 },
    cause,
    uptimeMs: 5,
    readyMs: undefined,
    at: cursor * 1000,
    detail: 'the last line',
    remedy: undefined,
    evidence: undefined,
  };
  return { cursor, at: death.at, event: { code: 'died', profile, death } };
}

export interface WatchedStore {
  readonly store: SupervisorStore;
  readonly failings: readonly string[];
  readonly recoveries: readonly number[];
}

/** A store that retries fast and keeps what it tells. */
export function openWatched(path: string, options: Partial<StoreOptions> = {}): WatchedStore {
  const failings: string[] = [];
  const recoveries: number[] = [];
  const store = openSupervisorStore({
    path,
    retryMs: 20,
    onFailing: (detail) => failings.push(detail),
    onRecovered: (written) => recoveries.push(written),
    ...options,
  });
  return { store, failings, recoveries };
}
