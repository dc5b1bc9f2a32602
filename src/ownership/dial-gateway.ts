import { connect } from 'node:net';
import { errnoOf } from '../core/errors.js';
import { type FromChat, renderLine } from '../core/local-protocol.js';

/** A line that is longer is not one of ours: whoever sends it could go on for ever. */
const MAX_LINE_CHARS = 64 * 1024;

export interface Call<Answer> {
  /** said once we are let in; left out: we only listen */
  readonly say?: FromChat;
  readonly timeoutMs: number;
  /** @returns what was asked for; undefined: not in this line */
  readonly hear: (line: string) => Answer | undefined;
}

/** `late`: somebody listens there, and it has not come in time. `silent`: it will not come. */
export type NoAnswer = 'late' | 'silent';

/** One question to a gateway on its local socket, or the wait for what it says by itself. */
export function dialGateway<Answer>(
  socketPath: string,
  { say, timeoutMs, hear }: Call<Answer>,
): Promise<Answer | NoAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    let unfinished = '';
    const end = (answer: Answer | NoAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end('late'), timeoutMs);
    socket.setEncoding('utf8');
    if (say !== undefined) socket.once('connect', () => socket.write(renderLine(say)));
    socket.on('data', (piece: string) => {
      const lines = (unfinished + piece).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) {
        const answer = hear(line);
        if (answer !== undefined) return end(answer);
      }
      if (unfinished.length > MAX_LINE_CHARS) end('silent');
    });
    // a queue of callers that is full is a door nobody came to yet
    socket.once('error', (error) => end(errnoOf(error) === 'EAGAIN' ? 'late' : 'silent'));
    socket.once('close', () => end('silent'));
  });
}
