import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' }
  /** the client left in the middle */
  | { readonly kind: 'cut-off' };

/** Reads at most `maxBytes`; more is left in the socket, whose owner drains or ends it. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.resolve({ kind: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: Body) => {
      request.off('data', take).off('end', end).off('close', cut).off('error', cut);
      resolve(body);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) settle({ kind: 'too-large' });
      else chunks.push(chunk);
    };
    const end = () => settle(decode(Buffer.concat(chunks)));
    const cut = () => settle({ kind: 'cut-off' });
    request.on('data', take).on('end', end).on('close', cut).on('error', cut);
  });
}

function decode(bytes: Buffer): Body {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}
