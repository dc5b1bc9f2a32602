const UNITS: Readonly<Record<string, number>> = Object.freeze(unitTable());

/** systemd.time(7); a month is 30.44 days and a year 365.25 there. */
function unitTable(): Record<string, number> {
  const rows: readonly (readonly [readonly string[], number])[] = [
    [['us', 'usec', 'µs', 'μs'], 0.001],
    [['ms', 'msec'], 1],
    [['s', 'sec', 'second', 'seconds'], 1000],
    [['m', 'min', 'minute', 'minutes'], 60_000],
    [['h', 'hr', 'hour', 'hours'], 3_600_000],
    [['d', 'day', 'days'], 86_400_000],
    [['w', 'week', 'weeks'], 604_800_000],
    [['M', 'month', 'months'], 2_629_800_000],
    [['y', 'year', 'years'], 31_557_600_000],
  ];
  return Object.fromEntries(rows.flatMap(([names, unitMs]) => names.map((name) => [name, unitMs])));
}

const PART = /\s*(\d+(?:\.\d+)?)\s*([a-zA-Zµμ]*)/y;

/**
 * `1min 30s`, `90`, `infinity` as systemd prints and takes them; a bare number is seconds.
 * @returns milliseconds, Infinity, or undefined for what is no duration
 */
export function parseSystemdDuration(text: string): number | undefined {
  const whole = text.trim();
  if (whole === 'infinity') return Number.POSITIVE_INFINITY;
  if (whole === '') return undefined;
  let sumMs = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < whole.length) {
    const match = PART.exec(whole);
    const [, digits, unit = ''] = match ?? [];
    const unitMs = unit === '' ? UNITS['s'] : Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (digits === undefined || unitMs === undefined) return undefined;
    sumMs += Number(digits) * unitMs;
  }
  return sumMs;
}
