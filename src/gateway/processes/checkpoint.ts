import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { clampTimerMs } from '../../core/durations.js';

export interface CheckpointOptions {
  readonly path: string;
  /** changes within this time are one write */
  readonly delayMs: number;
  readonly render: () => string;
  /** the disk takes no writes: told once until a write works again, then with undefined */
  readonly onTrouble: (thrown: unknown) => void;
}

const OWNER_ONLY = 0o600;

/** Keeps a file equal to what `render` says: whole or not at all, off the loop, one at a time. */
export class Checkpoint {
  readonly #options: CheckpointOptions;
  #written: string;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** `written`: what the file says now */
  constructor(options: CheckpointOptions, written: string) {
    this.#options = options;
    this.#written = written;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => void this.flush(), clampTimerMs(this.#options.delayMs));
    // a change that is lost with the process is one that its successor finds out by itself
    this.#timer.unref();
  }

  /** Resolves when the file says what is true now, or could not be written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const text = this.#options.render();
    if (text === this.#written) return;
    try {
      await replaceFile(this.#options.path, text);
      this.#written = text;
      if (this.#isFailing) this.#options.onTrouble(undefined);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) this.#options.onTrouble(thrown);
      this.#isFailing = true;
    }
  }
}

/** A reader sees the old text or the new one, also after a power cut. */
async function replaceFile(path: string, text: string): Promise<void> {
  const random = randomBytes(4).toString('hex');
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${random}.tmp`);
  try {
    const file = await open(temporary, 'wx', OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
