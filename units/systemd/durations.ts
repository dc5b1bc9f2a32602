const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  sec: 1000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  month: 2_629_800_000,
  y: 31_557_600_000,
};

/** `70s`, or milliseconds where it is no whole number of seconds. */
export function renderSeconds(ms: number): string {
  const whole = Math.ceil(ms);
  return whole % 1000 === 0 ? `${whole / 1000}s` : `${whole}ms`;
}

/** `1min 10s`, `70`, `infinity`; undefined when it is none. */
export function parseSeconds(text: string): number | undefined {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (!/^(\s*\d+(\.\d+)?\s*[a-z]*)+\s*$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/g)) {
    const unitMs = UNIT_MS[unit === '' || unit === undefined ? 's' : unit];
    if (unitMs === undefined) return undefined;
    totalMs += Number(number) * unitMs;
  }
  return totalMs;
}
