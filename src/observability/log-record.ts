import { stripVTControlCharacters } from 'node:util';

/**
 * One JSON record as one line for people. pino-pretty would cost the supervisor more memory and
 * start-up time than all of its own code; `gatewarden logs` uses it.
 */
export function renderForTerminal(line: string, color: boolean): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  const time = typeof record.time === 'string' ? record.time.slice(11, 19) : '';
  const level = String(record.level);
  const paint = (text: string) => (color ? `${LEVEL_COLORS[level] ?? ''}${text}${RESET}` : text);
  return `${time} ${paint(level.toUpperCase().padEnd(5))} ${renderText(record)}\n`;
}

/** The `<3>` prefixes of sd-daemon(3): journald files the line under its priority. */
export function renderForJournal(line: string): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  return `<${JOURNAL_PRIORITIES[String(record.level)] ?? 6}>${renderText(record)}\n`;
}

const RESET = '\u001b[0m';

const LEVEL_COLORS: Readonly<Record<string, string>> = {
  debug: '\u001b[2m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
};

const JOURNAL_PRIORITIES: Readonly<Record<string, number>> = {
  fatal: 2,
  error: 3,
  warn: 4,
  info: 6,
  debug: 7,
};

type LogRecord = Readonly<Record<string, unknown>>;

/** Shown in a place of their own, or known to whoever reads our stderr. */
const PLACED_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'msg', 'profile']);

function renderText(record: LogRecord): string {
  const profile = typeof record.profile === 'string' ? `${record.profile}: ` : '';
  const message = typeof record.msg === 'string' ? record.msg : '';
  const fields = Object.entries(record)
    .filter(([name]) => !PLACED_FIELDS.has(name))
    .map(([name, value]) => `${name}=${renderValue(value)}`);
  return oneLine([`${profile}${message}`, ...fields].join(' '));
}

function renderValue(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (isError(value)) return JSON.stringify(value.message);
  return JSON.stringify(value) ?? 'undefined';
}

function isError(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}

/** What a child printed must not move the cursor or begin a line of its own. */
function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(/[\r\n]+/g, ' ⏎ ');
}

function parseRecord(line: string): LogRecord | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as LogRecord) : undefined;
  } catch {
    return undefined;
  }
}
