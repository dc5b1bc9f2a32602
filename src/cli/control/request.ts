import { type IncomingMessage, request } from 'node:http';
import { SilenceError } from './silence.js';

/** One question to the control API. */
export interface ControlRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** silence after which the answer is given up */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks over a unix socket. @throws SilenceError, or the system's error of the connection */
export function ask(socketPath: string, question: ControlRequest): Promise<ControlAnswer> {
  const { method, path, body, timeoutMs, signal } = question;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath,
        method,
        path,
        agent: false,
        headers: {
          host: 'gatewarden',
          accept: 'application/json',
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(signal === undefined ? {} : { signal }),
      },
      (incoming) => {
        readBody(incoming).then(
          (text) => resolve({ status: incoming.statusCode ?? 0, body: parseJson(text) }),
          reject,
        );
      },
    );
    // a whole-answer deadline: a socket that trickles is as silent as one that sends nothing
    const timer = setTimeout(() => outgoing.destroy(new SilenceError(timeoutMs)), timeoutMs);
    outgoing.on('error', reject);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.end(payload);
  });
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const part of incoming) text += String(part);
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
