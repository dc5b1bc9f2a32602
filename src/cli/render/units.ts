import { formatDuration } from '../../core/durations.js';

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `52 MiB`, `1.4 GiB`; three digits at most. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** `8s`, `3h 12m`: from then to now, without milliseconds for anything longer than one second. */
export function formatAge(iso: string, nowMs: number): string {
  return formatSpan(nowMs - Date.parse(iso));
}

/** A duration for people: whole seconds from one second on. */
export function formatSpan(durationMs: number): string {
  if (Number.isNaN(durationMs)) return '?';
  return formatDuration(durationMs < 1000 ? durationMs : Math.round(durationMs / 1000) * 1000);
}

/** `in 8s`, `now`. */
export function formatUntil(iso: string, nowMs: number): string {
  const leftMs = Date.parse(iso) - nowMs;
  return leftMs < 500 ? 'now' : `in ${formatSpan(leftMs)}`;
}

/** `1 death`, `3 deaths`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Local time of day, with the date unless it is today: `14:03:07`, `2026-01-31 14:03:07`. */
export function formatClock(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const date = dateOf(at);
  return date === dateOf(new Date(nowMs)) ? time : `${date} ${time}`;
}

function dateOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
