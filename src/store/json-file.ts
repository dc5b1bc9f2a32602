import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRegularFile } from './regular-file.js';

const OWNER_ONLY = 0o600;

/**
 * Replaces a JSON file in one step: a reader sees the old text or the new one, never a part,
 * also after a power cut. The old file stays when this throws.
 */
export function writeJsonFile(path: string, value: unknown): void {
  replaceFile(path, value, { durable: true, mode: OWNER_ONLY });
}

/** The same for what means nothing after a power cut: one step, without waiting for the disk. */
export function writeHintFile(path: string, value: unknown, mode = OWNER_ONLY): void {
  replaceFile(path, value, { durable: false, mode });
}

interface Writing {
  readonly durable: boolean;
  readonly mode: number;
}

function replaceFile(path: string, value: unknown, how: Writing): void {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  try {
    writeNew(temporary, `${JSON.stringify(value, undefined, 2)}\n`, how);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Removes what writers of these files left half-written when they were killed. Only for whoever
 * is the files' one writer now.
 */
export function removeHalfWritten(directory: string, names: readonly string[]): void {
  const isOurs = (entry: string) =>
    names.some((name) => entry.startsWith(`.${name}.`) && entry.endsWith('.tmp'));
  try {
    for (const entry of readdirSync(directory).filter(isOurs)) {
      rmSync(join(directory, entry), { force: true });
    }
  } catch {
    // litter, no harm
  }
}

/** What a JSON file holds; undefined when it is missing, unreadable or not JSON. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path)) as unknown;
  } catch {
    return undefined;
  }
}

function writeNew(path: string, text: string, how: Writing): void {
  const fd = openSync(path, 'wx', how.mode);
  try {
    if (how.mode !== OWNER_ONLY) fchmodSync(fd, how.mode);
    writeFileSync(fd, text);
    if (how.durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
