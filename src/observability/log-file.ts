import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../core/errors.js';

/** The file that is written now; older ones are `current.log.1`, `.2`, … */
export const CURRENT_LOG = 'current.log';

export function currentLogPath(directory: string): string {
  return join(directory, CURRENT_LOG);
}

/** Where the nth older file of a log is; 0 is the current one. */
export function rotatedPath(path: string, index: number): string {
  return index === 0 ? path : `${path}.${index}`;
}

export interface LogFileLimits {
  readonly maxBytes: number;
  /** all files of the log, the current one included */
  readonly files: number;
}

/** One log on disk: at most one descriptor, however often it is rotated or removed (field case F1). */
export class LogFile {
  readonly #path: string;
  readonly #limits: LogFileLimits;
  #handle: FileHandle | undefined;
  #size = 0;

  constructor(path: string, limits: LogFileLimits) {
    this.#path = path;
    this.#limits = limits;
  }

  /** Appends whole lines; `onWritten` hears of every byte on disk, also when the rest then fails. */
  async append(bytes: Uint8Array, onWritten: (bytes: number) => void): Promise<void> {
    await this.#prepare(bytes.length);
    let offset = 0;
    while (offset < bytes.length) {
      const written = await this.#write(bytes.subarray(offset));
      offset += written;
      this.#size += written;
      onWritten(written);
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #write(bytes: Uint8Array): Promise<number> {
    const { bytesWritten } = (await this.#handle?.write(bytes)) ?? { bytesWritten: 0 };
    if (bytesWritten === 0) throw new Error('the disk took no bytes');
    return bytesWritten;
  }

  async #prepare(incomingBytes: number): Promise<void> {
    if (this.#handle !== undefined && !(await this.#isStillThere())) await this.close();
    if (this.#handle === undefined) await this.#open();
    if (this.#size === 0 || this.#size + incomingBytes <= this.#limits.maxBytes) return;
    await this.close();
    await this.#shift();
    await this.#open();
  }

  /** Somebody may have removed or moved the file; also catches one that was cut to zero. */
  async #isStillThere(): Promise<boolean> {
    const [ours, theirs] = await Promise.all([this.#handle?.stat(), statOrNothing(this.#path)]);
    if (ours === undefined || theirs === undefined) return false;
    this.#size = ours.size;
    return ours.ino === theirs.ino && ours.dev === theirs.dev;
  }

  async #open(): Promise<void> {
    this.#handle = await openAppending(this.#path);
    this.#size = (await this.#handle.stat()).size;
  }

  async #shift(): Promise<void> {
    const { files } = this.#limits;
    for (let index = files - 1; index >= 1; index--) {
      await ifThere(rename(rotatedPath(this.#path, index - 1), rotatedPath(this.#path, index)));
    }
    // the only file there may be, or one more than there may be since the limit was lowered
    await rm(rotatedPath(this.#path, files === 1 ? 0 : files), { force: true });
  }
}

async function openAppending(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', 0o600);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await makeDirectory(dirname(path));
    return await open(path, 'a', 0o600);
  }
}

/** Not `recursive`: Node's own never ends where nothing can be made in a visible directory. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

async function statOrNothing(path: string) {
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
