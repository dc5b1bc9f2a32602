import { messageOf } from '../core/errors.js';
import { LogFile } from './log-file.js';

export interface RotatingLogOptions {
  /** the current file; older ones get `.1`, `.2`, … */
  readonly path: string;
  readonly maxBytes: number;
  /** all files of the log, the current one included */
  readonly files: number;
  /** what may wait in memory for a slow disk; lines beyond are dropped and counted */
  readonly maxBufferedBytes?: number;
  /** wait after a failed write */
  readonly retryMs?: number;
  /** once per outage */
  readonly onFailing?: (detail: string) => void;
  /** writing goes on again; how many lines were dropped meanwhile */
  readonly onResumed?: (droppedLines: number) => void;
}

const DEFAULT_MAX_BUFFERED_BYTES = 1024 * 1024;
const DEFAULT_RETRY_MS = 1000;
const DEFAULT_CLOSE_MS = 1000;
const MAX_CHUNK_BYTES = 256 * 1024;

/**
 * A size-capped log. `write` only queues: the disk is touched off the event loop, one append
 * at a time, and no fault of it reaches a caller.
 */
export class RotatingLog {
  readonly #options: RotatingLogOptions;
  readonly #file: LogFile;
  readonly #maxChunkBytes: number;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #droppedTotal = 0;
  #pumping: Promise<void> | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #failing: string | undefined;
  #closed = false;

  constructor(options: RotatingLogOptions) {
    this.#options = options;
    this.#file = new LogFile(options.path, options);
    this.#maxChunkBytes = Math.min(MAX_CHUNK_BYTES, options.maxBytes);
  }

  /** since the start */
  get droppedLines(): number {
    return this.#droppedTotal;
  }

  /** why nothing can be written at present */
  get failing(): string | undefined {
    return this.#failing;
  }

  writeLine(line: string): void {
    this.write(`${line}\n`);
  }

  /** Takes one whole line with its line end, as pino gives it. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    const limit = this.#options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
    if (this.#closed || this.#queuedBytes + bytes.length > limit) {
      this.#dropped++;
      this.#droppedTotal++;
      return;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#failing === undefined) this.#start();
  }

  /** Writes what waits, within the time given, and lets go of the file. May be called twice. */
  async close(withinMs = DEFAULT_CLOSE_MS): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retrying);
    this.#start();
    await settledWithin(this.#pumping ?? Promise.resolve(), withinMs);
    await settledWithin(
      this.#file.close().catch(() => undefined),
      withinMs,
    );
  }

  #start(): void {
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  async #pump(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#appendChunk();
      this.#resume();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #appendChunk(): Promise<void> {
    await this.#file.append(this.#nextChunk(), (written) => this.#consume(written));
  }

  #nextChunk(): Buffer {
    let bytes = 0;
    let count = 0;
    for (const line of this.#queue) {
      if (count > 0 && bytes + line.length > this.#maxChunkBytes) break;
      bytes += line.length;
      count++;
    }
    return Buffer.concat(this.#queue.slice(0, count), bytes);
  }

  /** What a full disk took of a line is not written again when there is room. */
  #consume(written: number): void {
    this.#queuedBytes -= written;
    let rest = written;
    let whole = 0;
    for (const line of this.#queue) {
      if (line.length > rest) break;
      rest -= line.length;
      whole++;
    }
    this.#queue.splice(0, whole);
    const cut = this.#queue[0];
    if (rest > 0 && cut !== undefined) this.#queue[0] = cut.subarray(rest);
  }

  #fail(error: unknown): void {
    const isNews = this.#failing === undefined;
    this.#failing = messageOf(error);
    if (!this.#closed) {
      const retryMs = this.#options.retryMs ?? DEFAULT_RETRY_MS;
      this.#retrying = setTimeout(() => this.#start(), retryMs).unref();
    }
    if (isNews) this.#options.onFailing?.(this.#failing);
  }

  #resume(): void {
    if (this.#failing === undefined && this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#failing = undefined;
    this.#dropped = 0;
    this.#options.onResumed?.(dropped);
  }
}

async function settledWithin(promise: Promise<unknown>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  try {
    await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
