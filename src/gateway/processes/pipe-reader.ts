import type { Readable } from 'node:stream';
import { clampTimerMs } from '../../core/durations.js';
import type { ProcessLimits } from './limits.js';

/**
 * Reads what a process prints. Its end is told by its exit, never by the end of the pipe: a
 * grandchild that inherited the pipe keeps it open for as long as it lives (field case B21).
 */
export class PipeReader {
  readonly #stream: Readable;
  readonly #limits: ProcessLimits;
  #burstBytes = 0;
  #pause: NodeJS.Timeout | undefined;
  #afterExitBytes: number | undefined;
  /** called with every piece while the rest is read */
  #onRest: () => void = () => {};
  #hasClosed = false;

  constructor(stream: Readable, onBytes: (bytes: Buffer) => void, limits: ProcessLimits) {
    this.#stream = stream;
    this.#limits = limits;
    stream.on('data', (bytes: Buffer) => {
      onBytes(bytes);
      this.#count(bytes.length);
    });
    // a broken pipe is an end like any other
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#hasClosed = true;
      clearTimeout(this.#pause);
      this.#onRest();
    });
  }

  /** After the exit: takes what is left, bounded in bytes and time, and lets go of the pipe. */
  async finish(): Promise<void> {
    this.#afterExitBytes = 0;
    this.#resume();
    if (!this.#hasClosed) await this.#readRest();
    clearTimeout(this.#pause);
    this.#stream.destroy();
  }

  #readRest(): Promise<void> {
    const { drainIdleMs, drainWaitMs, drainMaxBytes } = this.#limits;
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(idle);
        clearTimeout(limit);
        this.#onRest = () => {};
        resolve();
      };
      const idle = setTimeout(settle, clampTimerMs(drainIdleMs));
      const limit = setTimeout(settle, clampTimerMs(drainWaitMs));
      this.#onRest = () => {
        const isEnough = (this.#afterExitBytes ?? 0) >= drainMaxBytes;
        if (this.#hasClosed || isEnough) settle();
        else idle.refresh();
      };
    });
  }

  #count(bytes: number): void {
    if (this.#afterExitBytes !== undefined) {
      this.#afterExitBytes += bytes;
      this.#onRest();
      return;
    }
    this.#burstBytes += bytes;
    if (this.#burstBytes < this.#limits.burstBytes) return;
    this.#burstBytes = 0;
    this.#stream.pause();
    this.#pause = setTimeout(() => this.#resume(), clampTimerMs(this.#limits.burstPauseMs));
  }

  #resume(): void {
    clearTimeout(this.#pause);
    if (!this.#hasClosed) this.#stream.resume();
  }
}
