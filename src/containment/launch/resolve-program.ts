import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export interface ResolveFacts {
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** What execvp searches when there is no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/bin:/usr/bin';

/** Longer interpreter lines are cut by the kernel as well. */
const INTERPRETER_LINE_BYTES = 256;

/**
 * The file that execvp would run, absolute; undefined when it would run none. Also undefined
 * when a script's interpreter or the working directory is missing: both end in ENOENT.
 */
export function resolveProgram(program: string, { cwd, env }: ResolveFacts): string | undefined {
  const base = cwd ?? process.cwd();
  if (!isDirectory(base)) return undefined;
  const candidates = program.includes('/')
    ? [resolve(base, program)]
    : (env['PATH'] ?? DEFAULT_PATH).split(delimiter).map((path) => resolve(base, path, program));
  return candidates.find((file) => isRunnable(file) && hasInterpreter(file, base));
}

export function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function hasInterpreter(file: string, base: string): boolean {
  const interpreter = /^#!\s*(\S+)/.exec(firstLine(file))?.[1];
  return interpreter === undefined || isRunnable(resolve(base, interpreter));
}

/** Empty where it may be run but not read. */
function firstLine(file: string): string {
  const bytes = Buffer.alloc(INTERPRETER_LINE_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      const length = readSync(descriptor, bytes, 0, bytes.length, 0);
      return bytes.toString('latin1', 0, length).split('\n')[0] ?? '';
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
