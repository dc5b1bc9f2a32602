import { connect } from 'node:net';
import { errnoOf } from '../core/errors.js';
import type { Answer } from '../core/guard.js';

/** `late`: somebody listens there and has said nothing in time. */
export type Greeting = Answer | 'late';

/** A loop that is not stuck greets at once. */
const GREETING_MS = 1000;
const MAX_GREETING_BYTES = 4096;

/**
 * Asks a gateway for a sign of life on its local socket: a live one greets every connection.
 * A socket file that nobody serves is silence too: the process is there, its door is not.
 */
export function askGateway(socketPath: string, timeoutMs = GREETING_MS): Promise<Greeting> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    let heard = '';
    const end = (answer: Greeting): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end('late'), timeoutMs);
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      heard += piece;
      if (heard.includes('\n') || heard.length > MAX_GREETING_BYTES) end(readGreeting(heard));
    });
    socket.once('end', () => end('silent'));
    // a queue of callers that is full is a door nobody came to yet
    socket.once('error', (error) => end(errnoOf(error) === 'EAGAIN' ? 'late' : 'silent'));
  });
}

function readGreeting(text: string): Answer {
  const [line = ''] = text.split('\n');
  try {
    const { code } = JSON.parse(line) as { code?: unknown };
    if (code === 'draining') return 'draining';
    return code === 'welcome' ? 'serving' : 'silent';
  } catch {
    return 'silent';
  }
}
