import { GatewardenError } from '../core/errors.js';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * `2h`, `1d 12h`, `90s` before `nowMs`, or an ISO 8601 time; in epoch milliseconds.
 * @throws GatewardenError bad-argument
 */
export function parseSince(text: string, nowMs: number): number {
  const trimmed = text.trim();
  if (/^(\d+(\.\d+)?(ms|[smhdw])\s*)+$/.test(trimmed)) {
    let totalMs = 0;
    for (const [, count = '', , unit = ''] of trimmed.matchAll(/(\d+(\.\d+)?)(ms|[smhdw])/g)) {
      totalMs += Number(count) * (UNIT_MS[unit] ?? 0);
    }
    if (isDate(nowMs - totalMs)) return nowMs - totalMs;
  }
  const at = /^\d{4}-\d{2}-\d{2}/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new GatewardenError('bad-argument', {
    expected: 'expected --since as a duration (2h, 30m, 1d) or an ISO 8601 time',
    got: JSON.stringify(text),
    hint: 'for example: --since 2h, or --since 2026-01-31T08:00',
  });
}

/** Beyond it there is no date, and no store can be asked for it. */
function isDate(atMs: number): boolean {
  return Number.isFinite(new Date(atMs).getTime());
}
