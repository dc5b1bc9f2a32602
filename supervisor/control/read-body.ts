import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** the client left in the middle */
  | { readonly kind: 'incomplete' };

/**
 * The whole body, or the fact that it is too large, told as soon as it is. By events, because
 * leaving `for await` early would destroy the connection that the answer needs.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      resolve({ kind: 'too-large' });
    });
    request.on('end', () => {
      resolve({ kind: 'text', text: Buffer.concat(chunks).toString('utf8') });
    });
    request.on('error', () => resolve({ kind: 'incomplete' }));
    request.on('close', () => resolve({ kind: 'incomplete' }));
  });
}
