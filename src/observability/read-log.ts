import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/errors.js';
import { LineSplitter } from './line-splitter.js';
import { rotatedPath } from './log-file.js';

/** More files than any configuration keeps. */
const MAX_FILES = 1000;
const CHUNK_BYTES = 64 * 1024;
const DEFAULT_POLL_MS = 250;
/** longer than any line that is written, so that reading never cuts */
const MAX_READ_CHARS = 1024 * 1024;

/** The newest lines of a log, oldest first, across its rotated files. A missing log is empty. */
export async function tailLog(path: string, maxLines: number): Promise<string[]> {
  return await tailFrom(path, 0, maxLines);
}

async function tailFrom(path: string, first: number, maxLines: number): Promise<string[]> {
  const newestFirst: string[][] = [];
  let missing = maxLines;
  for (let index = first; index < MAX_FILES && missing > 0; index++) {
    const handle = await openIfThere(rotatedPath(path, index));
    if (handle === undefined) {
      // the current file may be missing for a moment while it is rotated
      if (index > 0) break;
      continue;
    }
    try {
      const lines = await tailOf(handle, (await handle.stat()).size, missing);
      newestFirst.push(lines);
      missing -= lines.length;
    } finally {
      await handle.close();
    }
  }
  return newestFirst.reverse().flat();
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  /** older lines to begin with, without a gap to the new ones */
  readonly lastLines?: number;
}

/**
 * Every line that is written from now on, in order, also across rotations and a removed file.
 * Ends when the signal aborts.
 */
export async function* followLog(path: string, options: FollowOptions): AsyncGenerator<string> {
  const { signal, pollMs = DEFAULT_POLL_MS } = options;
  let reader = await LogReader.open(path, 'end');
  try {
    if (reader !== undefined) yield* await reader.tail(path, options.lastLines ?? 0);
    while (!signal.aborted) {
      const rotated = reader !== undefined && (await reader.isRotated(path));
      // asked before reading: what is read now is then all that the old file will ever hold
      if (reader !== undefined) yield* reader.lines();
      if (reader === undefined) {
        reader = await LogReader.open(path, 'start');
        if (reader !== undefined) continue;
      } else if (rotated) {
        const next: LogReader | undefined = await successor(path, reader);
        if (next !== undefined) {
          yield* reader.rest();
          await reader.close();
          reader = next;
          continue;
        }
      }
      await pause(pollMs, signal);
    }
  } finally {
    await reader?.close();
  }
}

/** The file that was begun after the reader's own; the oldest there is when that is gone already. */
async function successor(path: string, reader: LogReader): Promise<LogReader | undefined> {
  let oldest = 0;
  for (let index = 0; index < MAX_FILES; index++) {
    const found = await statIfThere(rotatedPath(path, index));
    if (found === undefined && index > 0) break;
    if (found === undefined) continue;
    if (found.ino === reader.inode) return await openNewer(path, index, reader);
    oldest = index;
  }
  return await LogReader.open(rotatedPath(path, oldest), 'start');
}

/** Undefined, to be asked again, when the files were shifted between the two looks. */
async function openNewer(
  path: string,
  index: number,
  reader: LogReader,
): Promise<LogReader | undefined> {
  if (index === 0) return undefined;
  const next = await LogReader.open(rotatedPath(path, index - 1), 'start');
  if (!(await reader.isRotated(rotatedPath(path, index)))) return next;
  await next?.close();
  return undefined;
}

class LogReader {
  readonly inode: number;
  readonly #handle: FileHandle;
  readonly #splitter = new LineSplitter(MAX_READ_CHARS);
  #offset: number;

  constructor(handle: FileHandle, inode: number, offset: number) {
    this.#handle = handle;
    this.inode = inode;
    this.#offset = offset;
  }

  static async open(path: string, from: 'start' | 'end'): Promise<LogReader | undefined> {
    const handle = await openIfThere(path);
    if (handle === undefined) return undefined;
    const { ino, size } = await handle.stat();
    return new LogReader(handle, ino, from === 'end' ? size : 0);
  }

  /** Lines from before the place where reading starts. */
  async tail(path: string, maxLines: number): Promise<string[]> {
    if (maxLines === 0) return [];
    const lines = await tailOf(this.#handle, this.#offset, maxLines);
    const older = await tailFrom(path, 1, maxLines - lines.length);
    return [...older, ...lines];
  }

  /** The file at that path is not, or no longer, the one being read. */
  async isRotated(path: string): Promise<boolean> {
    return (await statIfThere(path))?.ino !== this.inode;
  }

  async *lines(): AsyncGenerator<string> {
    const { size } = await this.#handle.stat();
    // somebody emptied it in place
    if (size < this.#offset) this.#offset = 0;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, CHUNK_BYTES, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      yield* this.#splitter.push(buffer.subarray(0, bytesRead));
    }
  }

  *rest(): Generator<string> {
    const line = this.#splitter.flush();
    if (line !== undefined) yield line;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Reads backwards until there are enough line ends. */
async function tailOf(handle: FileHandle, size: number, maxLines: number): Promise<string[]> {
  const chunks: Buffer[] = [];
  let lineEnds = 0;
  for (let end = size; end > 0 && lineEnds <= maxLines; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const chunk = Buffer.alloc(end - start);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, start);
    chunks.unshift(chunk.subarray(0, bytesRead));
    for (const byte of chunk) if (byte === 0x0a) lineEnds++;
  }
  const splitter = new LineSplitter(MAX_READ_CHARS);
  const lines = splitter.push(Buffer.concat(chunks));
  const last = splitter.flush();
  if (last !== undefined) lines.push(last);
  return lines.slice(-maxLines);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return await ifThere(open(path, 'r'));
}

async function statIfThere(path: string) {
  return await ifThere(stat(path));
}

async function ifThere<Result>(promise: Promise<Result>): Promise<Result | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
