import { parseLogLine } from '../../observability/index.js';
import type { Paint } from '../paint.js';
import { printable } from './printable.js';
import { formatClock } from './units.js';

/** One line of a log file, told apart by what it is. */
export type LogEntry =
  /** a JSON record: the supervisor's own, or a built-in gateway's */
  | { readonly kind: 'record'; readonly atMs: number | undefined; readonly json: string }
  /** what a child printed */
  | {
      readonly kind: 'text';
      readonly atMs: number | undefined;
      readonly stream: 'out' | 'err' | 'sys';
      readonly text: string;
    };

export function parseEntry(line: string): LogEntry {
  const child = parseLogLine(line);
  const text = child?.text ?? line;
  const record = parseRecord(text);
  if (record !== undefined) {
    return { kind: 'record', atMs: child?.at ?? timeOf(record.time), json: text };
  }
  return { kind: 'text', atMs: child?.at, stream: child?.stream ?? 'out', text };
}

/** A line that says no time is as old as the one before it. */
export function isSince(entry: LogEntry, sinceMs: number, beforeMs: number | undefined): boolean {
  return (entry.atMs ?? beforeMs ?? Number.NEGATIVE_INFINITY) >= sinceMs;
}

/** For programs: a record as it is, text wrapped as one. */
export function renderEntryJson(entry: LogEntry): string {
  if (entry.kind === 'record') return entry.json;
  const { atMs, stream, text } = entry;
  return JSON.stringify({
    time: atMs === undefined ? null : new Date(atMs).toISOString(),
    stream,
    text,
  });
}

/** Makes a record readable; pino-pretty, which is slow to load, comes from outside. */
export type Prettify = (record: object) => string;

export function renderEntry(
  entry: LogEntry,
  { nowMs, paint, prettify }: { nowMs: number; paint: Paint; prettify: Prettify },
): string {
  if (entry.kind === 'record') return prettify(withoutEscapes(entry.json)).trimEnd();
  const text = printable(entry.text);
  const clock = entry.atMs === undefined ? '' : `${paint.dim(formatClock(entry.atMs, nowMs))} `;
  return `${clock}${entry.stream === 'sys' ? paint.yellow(text) : text}`;
}

function withoutEscapes(json: string): object {
  const value: unknown = JSON.parse(json, (_, inner: unknown) =>
    typeof inner === 'string' ? printable(inner) : inner,
  );
  return value as object;
}

function parseRecord(text: string): { readonly time: unknown } | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isRecord =
      typeof value === 'object' && value !== null && 'time' in value && 'level' in value;
    return isRecord ? (value as { readonly time: unknown }) : undefined;
  } catch {
    return undefined;
  }
}

function timeOf(time: unknown): number | undefined {
  const atMs = typeof time === 'number' ? time : Date.parse(String(time));
  return Number.isFinite(atMs) ? atMs : undefined;
}
