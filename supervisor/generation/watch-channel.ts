import type { Duplex } from 'node:stream';
import { type FromWatch, parseFromWatch, type ToWatch } from '../../src/core/watch.js';
import { LineSplitter } from '../../src/observability/index.js';

/** What a watchdog said right before the end of its process is still in the pipe for so long. */
const PIPE_LINGER_MS = 300;

/** The supervisor's end of the pipe to a gateway's watchdog thread. */
export class WatchChannel {
  readonly #pipe: Duplex;
  #listener: ((message: FromWatch) => void) | undefined;
  #early: FromWatch[] = [];
  #isOpen = true;
  #whenClosed: (() => void) | undefined;

  constructor(pipe: Duplex) {
    this.#pipe = pipe;
    const lines = new LineSplitter();
    pipe.on('data', (bytes: Buffer) => {
      for (const line of lines.push(bytes)) this.#take(parseFromWatch(line));
    });
    pipe.on('error', () => {});
    pipe.once('close', () => {
      this.#isOpen = false;
      this.#whenClosed?.();
    });
  }

  /** From now on; what came before is told at once, because a worker may wait for its profile. */
  listen(listener: (message: FromWatch) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  /** A thread that does not read is dealt with by its silence. */
  tell(message: ToWatch): void {
    if (this.#isOpen) this.#pipe.write(`${JSON.stringify(message)}\n`);
  }

  /** After the exit: calls back when everything that was said has been read. */
  finish(callback: () => void): void {
    if (!this.#isOpen) {
      callback();
      return;
    }
    const giveUp = setTimeout(() => this.#pipe.destroy(), PIPE_LINGER_MS);
    this.#whenClosed = () => {
      clearTimeout(giveUp);
      callback();
    };
  }

  #take(message: FromWatch | undefined): void {
    if (message === undefined) return;
    if (this.#listener !== undefined) this.#listener(message);
    // a worker that waits for long beats often: the newest say all
    else this.#early = [...this.#early, message].slice(-KEPT_EARLY);
  }
}

const KEPT_EARLY = 8;
