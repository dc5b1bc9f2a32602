import { request } from 'node:http';
import type { Answer } from '../core/guard.js';

/** Its status needs no disk and no child: a loop that is not stuck answers at once. */
const ANSWER_MS = 1000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Asks a supervisor for its health on its control socket. */
export function askSupervisor(socketPath: string, timeoutMs = ANSWER_MS): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/v1/status' }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        body += piece;
        if (body.length > MAX_BODY_BYTES) asked.destroy();
      });
      response.once('end', () => end(answerIn(body)));
      response.once('error', () => end('silent'));
    });
    const timer = setTimeout(() => end('silent'), timeoutMs);
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      asked.destroy();
      resolve(answer);
    };
    asked.once('error', () => end('silent'));
    asked.end();
  });
}

function answerIn(body: string): Answer {
  try {
    const { supervisor } = JSON.parse(body) as { supervisor?: { state?: unknown } };
    if (supervisor?.state === 'running') return 'serving';
    return supervisor?.state === 'draining' ? 'draining' : 'silent';
  } catch {
    return 'silent';
  }
}
