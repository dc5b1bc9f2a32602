import { readFileSync } from 'node:fs';

/** What a supervisor leaves in state/supervisor.json; only a hint, its lock is the truth. */
export interface SupervisorHint {
  readonly pid: number;
  readonly startTicks: number | undefined;
  readonly bootId: string | undefined;
  /** undefined in hints of earlier versions */
  readonly home: string | undefined;
  readonly socket: string | undefined;
  readonly startedAt: string | undefined;
  readonly version: string | undefined;
  /** how long its stop may take by its own budgets */
  readonly stopMs: number | undefined;
}

/** Undefined when there is none or it is not readable as one. */
export function readHint(path: string): SupervisorHint | undefined {
  try {
    return parseHint(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export function parseHint(raw: unknown): SupervisorHint | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const fields = raw as Readonly<Record<string, unknown>>;
  const { pid, startTicks, stopMs } = fields;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    pid,
    startTicks: typeof startTicks === 'number' ? startTicks : undefined,
    bootId: text('bootId'),
    home: text('home'),
    socket: text('socket'),
    startedAt: text('startedAt'),
    version: text('version'),
    stopMs: typeof stopMs === 'number' && stopMs >= 0 ? stopMs : undefined,
  };
}
