import type { Readable } from 'node:stream';
import type { Environment } from '../config/paths.js';
import { createPaint, type Paint } from './paint.js';

/** Width assumed where nobody says: a pipe, a file. */
const DEFAULT_COLUMNS = 80;

/** Where a verb writes: results to stdout, everything else to stderr (spec/cli.md). */
export interface Terminal {
  readonly columns: number;
  /** a person reads stdout */
  readonly outIsTty: boolean;
  /** a person reads stderr: spinners are welcome */
  readonly errIsTty: boolean;
  /** a person can be asked */
  readonly inIsTty: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly input: Readable;
  readonly paint: Paint;
  readonly errPaint: Paint;
  /** one line (or several) of result */
  out(line: string): void;
  /** part of a result, exactly as it is */
  write(text: string): void;
  /** something to know that is not the result; -q silences it */
  notice(line: string): void;
  /** only with -v */
  debug(line: string): void;
  /** commands in a hint as they must be typed for this home */
  aim(hint: string): string;
  /** an error: never silenced */
  error(line: string): void;
  /** part of a progress display on stderr; nothing unless `errIsTty` */
  progress(text: string): void;
}

/** A stream that a verb writes to. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): boolean;
}

export interface TerminalOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly env: Environment;
  readonly colorWanted: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly aim: (hint: string) => string;
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { aim, stdin, stdout, stderr, env, quiet, verbose } = options;
  const errIsTty = stderr.isTTY === true;
  return {
    columns: columnsOf(stdout, env),
    outIsTty: stdout.isTTY === true,
    errIsTty,
    inIsTty: stdin.isTTY === true,
    verbose,
    quiet,
    input: stdin,
    paint: createPaint(isColorful(stdout, options)),
    errPaint: createPaint(isColorful(stderr, options)),
    out: (line) => void stdout.write(`${line}\n`),
    write: (text) => void stdout.write(text),
    aim,
    notice: (line) => void (quiet || stderr.write(`${aim(line)}\n`)),
    debug: (line) => void (verbose && stderr.write(`${line}\n`)),
    error: (line) => void stderr.write(`${aim(line)}\n`),
    progress: (text) => void (errIsTty && !quiet && stderr.write(text)),
  };
}

function columnsOf(stdout: TerminalStream, env: Environment): number {
  const told = stdout.columns ?? Number.parseInt(env.COLUMNS ?? '', 10);
  return Number.isInteger(told) && told > 0 ? told : DEFAULT_COLUMNS;
}

function isColorful(stream: TerminalStream, options: TerminalOptions): boolean {
  const refused = (options.env.NO_COLOR ?? '') !== '' || options.env.TERM === 'dumb';
  return stream.isTTY === true && options.colorWanted && !refused;
}
