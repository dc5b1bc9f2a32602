import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, messageOf } from '../core/errors.js';
import type { ConfigProblem } from './model.js';
import { wholeFileProblem } from './problems.js';

/** No configuration written by a person comes near; a larger one is a mistake or an attack. */
export const MAX_SOURCE_BYTES = 1024 * 1024;

export type SourceText =
  | { readonly kind: 'text'; readonly text: string; readonly mode: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'fault'; readonly problem: ConfigProblem };

/** Reads a small UTF-8 text file; anything else is a fault that says what it is. */
export function readSource(file: string): SourceText {
  let descriptor: number;
  try {
    // non-blocking: opening a fifo that nobody writes to would hang the supervisor
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error);
    // ENOTDIR: a parent is a file, which is told where the parent is read
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return { kind: 'absent' };
    return fault(file, 'a readable file', reasonOf(error));
  }
  try {
    return readOpen(file, descriptor);
  } catch (error) {
    return fault(file, 'a readable file', reasonOf(error));
  } finally {
    closeSync(descriptor);
  }
}

function readOpen(file: string, descriptor: number): SourceText {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) {
    return fault(file, 'a regular file', stats.isDirectory() ? 'a directory' : 'a special file');
  }
  const bytes = readAtMost(descriptor, MAX_SOURCE_BYTES + 1);
  if (bytes.length > MAX_SOURCE_BYTES) {
    const size = Math.max(stats.size, bytes.length);
    return fault(file, `a file of at most ${MAX_SOURCE_BYTES} bytes`, `${size} bytes`);
  }
  const text = decode(bytes);
  if (text === undefined) return fault(file, 'UTF-8 text', 'bytes that are not UTF-8');
  return { kind: 'text', text, mode: stats.mode };
}

/** Reads to the limit and no further, whatever the size claims: the file may be growing. */
function readAtMost(descriptor: number, maxBytes: number): Buffer {
  const buffer = Buffer.alloc(Math.min(fstatSync(descriptor).size + 1, maxBytes));
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function fault(file: string, expected: string, got: string): SourceText {
  return { kind: 'fault', problem: wholeFileProblem(file, expected, got) };
}

/** An errno as an operator reads it; the path is named by the problem already. */
export function reasonOf(error: unknown): string {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'no permission to read it (EACCES)';
    case 'ELOOP':
      return 'a loop of symbolic links (ELOOP)';
    case 'ENAMETOOLONG':
      return 'a path that is too long (ENAMETOOLONG)';
    case 'EISDIR':
      return 'a directory';
    case 'ENXIO':
      return 'a special file';
    case undefined:
      return messageOf(error);
    default:
      return `an input/output error (${errnoOf(error)})`;
  }
}
