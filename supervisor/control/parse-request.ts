import type { VerbRequest } from '../../src/core/control.js';
import { GatewardenError } from '../../src/core/errors.js';
import type { ControlHistoryQuery } from './port.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const MAX_BY_LENGTH = 64;
const DEFAULT_BY = 'api';

/**
 * The optional body of a verb: `{"now": boolean, "by": string}`.
 * @throws GatewardenError bad-argument
 */
export function parseVerbRequest(text: string, byHeader: string | undefined): VerbRequest {
  const body = parseObject(text);
  const { now = false, by = byHeader ?? DEFAULT_BY } = body;
  if (typeof now !== 'boolean') throw refused('expected now to be true or false', now);
  if (typeof by !== 'string') throw refused('expected by to be a text', by);
  return { now, by: printable(by) };
}

/** @throws GatewardenError bad-argument */
export function parseHistoryQuery(search: URLSearchParams): ControlHistoryQuery {
  const since = search.get('since');
  const limit = search.get('limit');
  return {
    profile: search.get('profile') ?? undefined,
    sinceMs: since === null ? undefined : parseMoment(since),
    limit: limit === null ? DEFAULT_LIMIT : parseLimit(limit),
  };
}

/**
 * Where an event stream resumes; undefined for only what happens from now on.
 * @throws GatewardenError bad-argument
 */
export function parseCursor(search: URLSearchParams): number | undefined {
  const since = search.get('since');
  if (since === null) return undefined;
  const cursor = Number(since);
  if (!/^\d+$/.test(since) || !Number.isSafeInteger(cursor)) {
    throw refused('expected since to be the cursor of an event', since);
  }
  return cursor;
}

/** Epoch milliseconds or an ISO 8601 date. */
function parseMoment(text: string): number {
  const momentMs = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(momentMs)) return momentMs;
  throw refused('expected since to be an ISO 8601 date or epoch milliseconds', text);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw refused(`expected limit to be a number from 1 to ${MAX_LIMIT}`, text);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refused('expected a JSON object as body', text.slice(0, MAX_BY_LENGTH));
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    return body as Readonly<Record<string, unknown>>;
  }
  throw refused('expected a JSON object as body', body);
}

/** It ends up in logs and on terminals. */
function printable(by: string): string {
  const text = by.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_BY_LENGTH);
  return text === '' ? DEFAULT_BY : text;
}

function refused(expected: string, got: unknown): GatewardenError {
  const shown = typeof got === 'string' ? JSON.stringify(got) : (JSON.stringify(got) ?? 'nothing');
  return new GatewardenError('bad-argument', {
    expected,
    got: shown.slice(0, 200),
    hint: 'docs/supervisor.md lists what each route takes',
  });
}
