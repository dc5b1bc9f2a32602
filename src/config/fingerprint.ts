import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { errnoOf } from '../core/errors.js';
import { MAX_SOURCE_BYTES } from './read-source.js';

export interface FingerprintInputs {
  /** of this program: an upgrade may cure what the old one refused */
  readonly version: string;
  readonly directory: string;
  /** the part of the host file that the profile inherits, as text */
  readonly inherited: string;
  /** config.yaml, .env and the environment files: their absence counts too */
  readonly files: readonly string[];
  /** a program of its own: `command` of the profile or of its agent */
  readonly program: ProgramInputs | undefined;
}

export interface ProgramInputs {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly searchPath: string;
}

/** Programs read their settings from files like these beside our own. */
const SETTINGS_FILE = /\.(?:ya?ml|env|json)$/;

/** A profile directory holds a handful; the rest of a larger one is data. */
const MAX_SETTINGS_FILES = 100;

/** Of a mode what decides whether a program starts, and as whom. */
const RUNNABLE = 0o6111n;

/** A hash over everything that a start of the profile depends on (design §5). */
export function fingerprint(inputs: FingerprintInputs): string {
  const hash = createHash('sha256');
  // every part carries its length: two parts never read as one
  const add = (label: string, content: string | Buffer) => {
    hash.update(`${label} ${content.length}\n`).update(content);
  };
  add('version', inputs.version);
  add('inherited', inputs.inherited);
  for (const file of new Set([...inputs.files, ...settingsFiles(inputs.directory)])) {
    add(`file ${file}`, contentState(file));
  }
  for (const file of programFiles(inputs.program)) add(`program ${file}`, fileState(file));
  return hash.digest('hex');
}

/** Something more to tell states apart that have the same files: problems that lie elsewhere. */
export function extendFingerprint(base: string, more: string): string {
  return createHash('sha256').update(base).update(more).digest('hex');
}

/** The program itself and every argument that is a file: `python3 bot.py` depends on both. */
export function programFiles(program: ProgramInputs | undefined): string[] {
  if (program === undefined) return [];
  const [first = '', ...rest] = program.argv;
  const named = rest.map((argument) => resolve(program.cwd, argument)).filter(isFile);
  return [findProgram(first, program), ...named];
}

function settingsFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => SETTINGS_FILE.test(name))
      .sort()
      .slice(0, MAX_SETTINGS_FILES)
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

function findProgram(name: string, { cwd, searchPath }: ProgramInputs): string {
  if (name.includes('/')) return resolve(cwd, name);
  const candidates = searchPath.split(delimiter).map((folder) => resolve(cwd, folder, name));
  // none: its name stands for "missing", which ends when it is installed
  return candidates.find(isFile) ?? name;
}

function contentState(file: string): string | Buffer {
  try {
    const stats = statSync(file);
    // reading a fifo would wait for a writer
    if (!stats.isFile() || stats.size > MAX_SOURCE_BYTES) return fileState(file);
    // not whose it is nor its mode: both are ours to set, and a mode that is refused is a problem
    return Buffer.concat([Buffer.from('text\n'), readFileSync(file)]);
  } catch (error) {
    return `unreadable ${errnoOf(error)}`;
  }
}

function fileState(file: string): string {
  try {
    const real = realpathSync(file);
    const { mtimeNs, size, ino, mode } = statSync(real, { bigint: true });
    return `${real} ${mtimeNs} ${size} ${ino} ${mode & RUNNABLE}`;
  } catch (error) {
    return `missing ${errnoOf(error)}`;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
