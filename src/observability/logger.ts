import { fstatSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Environment } from '../config/paths.js';
import { renderForJournal, renderForTerminal } from './log-record.js';
import type { GuardedOutput } from './stdio-guard.js';

export type { Logger } from 'pino';

/** How records are shown on stderr, besides the JSON in the log file. */
export type StderrStyle = 'terminal' | 'journal' | 'json';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** takes each record as one JSON line; undefined: no log file */
  readonly file: { write(line: string): void } | undefined;
  /** undefined: nothing on stderr */
  readonly stderr: { readonly output: GuardedOutput; readonly style: StderrStyle } | undefined;
  readonly color?: boolean;
}

/**
 * A logger whose messages are constant texts and whose facts are fields. Loads pino only when
 * called: most commands never log.
 */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  // bundled, a CommonJS package has only its default export
  const { default: pino } = await import('pino');
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
    },
    { write: (line: string) => writeRecord(line, options) },
  );
}

/**
 * JOURNAL_STREAM is inherited by everything below a unit: only where it names the very stream that
 * we write to does journald read it (systemd.exec(5)).
 * @param streamId device and inode of stderr, as `streamIdOf` has them
 */
export function chooseStderrStyle(
  isTerminal: boolean,
  env: Environment,
  streamId: string | undefined,
): StderrStyle {
  if (isTerminal) return 'terminal';
  return streamId !== undefined && env.JOURNAL_STREAM === streamId ? 'journal' : 'json';
}

/** `8:12345`; undefined for a descriptor that is closed. */
export function streamIdOf(fd: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function writeRecord(line: string, options: LoggerOptions): void {
  options.file?.write(line);
  if (options.stderr === undefined) return;
  const { output, style } = options.stderr;
  switch (style) {
    case 'terminal':
      output.write(renderForTerminal(line, options.color ?? false));
      return;
    case 'journal':
      output.write(renderForJournal(line));
      return;
    case 'json':
      output.write(line);
      return;
    default:
      style satisfies never;
  }
}
