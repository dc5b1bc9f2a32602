import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.js';

export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  if (response.destroyed) return;
  response.writeHead(answer.status, {
    ...headersOf(answer),
    // a body nobody reads would otherwise keep its connection
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

function headersOf(answer: Answer): Record<string, string> {
  return {
    'content-type': answer.contentType,
    'content-length': String(Buffer.byteLength(answer.body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
  };
}

/** An upgrade request has no response object; the answer is written by hand. */
export function renderRawAnswer(answer: Answer): string {
  const headers = { ...headersOf(answer), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${answer.status} Refused`, ...lines, '', answer.body].join('\r\n');
}
