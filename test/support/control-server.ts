import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';

/** One question as it came over the socket. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** `silence`: take the question and never answer; `hang up`: close the connection. */
export type Reply = { readonly status: number; readonly body: unknown } | 'silence' | 'hang up';

export interface ControlServer {
  readonly socketPath: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** A real HTTP server on a unix socket that answers what a test says. */
export async function startControlServer(
  socketPath: string,
  answer: (asked: Asked) => Reply,
): Promise<ControlServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const { method = '', url: path = '' } = request;
      const question = { method, path, body: text === '' ? undefined : JSON.parse(text) };
      asked.push(question);
      const reply = answer(question);
      if (reply === 'silence') return;
      if (reply === 'hang up') {
        request.destroy();
        return;
      }
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply.body));
    });
  });
  mkdirSync(dirname(socketPath), { recursive: true });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return { socketPath, asked, close: () => closeServer(server) };
}

/** Leaves the hint that a supervisor leaves, so that clients find the socket. */
export function writeHint(home: string, socketPath: string, pid: number = process.pid): void {
  mkdirSync(join(home, 'state'), { recursive: true });
  writeFileSync(
    join(home, 'state', 'supervisor.json'),
    JSON.stringify({ pid, socket: socketPath }),
  );
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
