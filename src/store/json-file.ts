import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const OWNER_ONLY = 0o600;

/**
 * Replaces a JSON file in one step: a reader sees the old text or the new one, never a part,
 * also after a power cut. The old file stays when this throws.
 */
export function writeJsonFile(path: string, value: unknown): void {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  try {
    writeDurably(temporary, `${JSON.stringify(value, undefined, 2)}\n`);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** What a JSON file holds; undefined when it is missing, unreadable or not JSON. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, 'wx', OWNER_ONLY);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
