import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { errnoOf } from '../../core/errors.js';
import { type FromWatch, parseToWatch, type ToWatch } from '../../core/watch.js';
import { LineSplitter } from '../../observability/line-splitter.js';

/** The thread's end of the pipe to the supervisor. */
export interface Pipe {
  /** Never waits: what a full pipe does not take is dropped, the next beat says it again. */
  tell(message: FromWatch): void;
}

export function openPipe(fd: number, onMessage: (message: ToWatch) => void): Pipe {
  // reading makes the descriptor non-blocking, for writing too
  const socket = new Socket({ fd, readable: true, writable: false });
  const lines = new LineSplitter();
  socket.on('data', (bytes: Buffer) => {
    for (const line of lines.push(bytes)) {
      const message = parseToWatch(line);
      if (message !== undefined) onMessage(message);
    }
  });
  // a supervisor that is gone is the loop's business
  socket.on('error', () => {});
  socket.unref();
  return { tell: (message) => writeLine(fd, JSON.stringify(message)) };
}

/** Past the streams, which would need a loop that runs. */
export function writeLine(fd: number, line: string): void {
  try {
    writeSync(fd, `${line}\n`);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno !== 'EAGAIN' && errno !== 'EPIPE' && errno !== 'EBADF') throw thrown;
  }
}
