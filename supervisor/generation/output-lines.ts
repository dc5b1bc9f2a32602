import type { Readable } from 'node:stream';
import { LineSplitter } from '../../src/observability/index.js';
import type { OutputStream } from './generation.js';

/** Output that is still in the pipes after an exit gets this long (field case B21). */
const PIPE_LINGER_MS = 300;

interface Piped {
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

/** Cuts a process's output into lines and knows when the last one has come. */
export class OutputLines {
  readonly #streams: readonly Readable[];
  #open: number;
  #whenEnded: (() => void) | undefined;

  constructor(process: Piped, onLine: (stream: OutputStream, text: string) => void) {
    const named = (['stdout', 'stderr'] as const).flatMap((name) => {
      const stream = process[name];
      return stream === null ? [] : [{ name, stream }];
    });
    this.#streams = named.map(({ stream }) => stream);
    this.#open = named.length;
    for (const { name, stream } of named) {
      const splitter = new LineSplitter();
      stream.on('data', (chunk: Buffer) => {
        for (const text of splitter.push(chunk)) onLine(name, text);
      });
      stream.on('error', () => undefined);
      stream.once('close', () => {
        const rest = splitter.flush();
        if (rest !== undefined) onLine(name, rest);
        this.#open--;
        if (this.#open === 0) this.#whenEnded?.();
      });
    }
  }

  /**
   * After the exit: calls back when the pipes are empty, at the latest after a short while,
   * because a grandchild may hold them for ever.
   */
  finish(callback: () => void): void {
    if (this.#open === 0) {
      callback();
      return;
    }
    const giveUp = setTimeout(() => {
      for (const stream of this.#streams) stream.destroy();
    }, PIPE_LINGER_MS);
    this.#whenEnded = () => {
      clearTimeout(giveUp);
      callback();
    };
  }
}
