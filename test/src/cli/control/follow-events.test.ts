import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { followEvents } from '../../../../src/cli/control/follow-events.js';
import type { RecordedEvent } from '../../../../src/core/events.js';
import { scratchHome } from '../../../support/run-cli.js';

interface Stream {
  /** the query of each connection, in order */
  readonly searches: string[];
  close(): Promise<void>;
}

function recorded(cursor: number): string {
  const event: RecordedEvent = { cursor, at: 0, event: { code: 'recovered', profile: 'coder' } };
  return JSON.stringify(event);
}

/** A real stream on a unix socket; each connection is served by `onOpen`. */
async function stream(path: string, onOpen: (socket: WebSocket) => void): Promise<Stream> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const searches: string[] = [];
  sockets.on('connection', (socket, request) => {
    searches.push(request.url ?? '');
    onOpen(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    searches,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

t.test('after a gap it resumes where it had been, and repeats nothing', async (t) => {
  const path = join(scratchHome(t).root, 'e.sock');
  const served = await stream(path, (socket) => {
    for (const text of [recorded(7), 'not JSON']) socket.send(text);
    socket.send(recorded(8), () => socket.close());
  });
  t.teardown(() => served.close());
  const seen: number[] = [];
  const controller = new AbortController();
  let gaps = 0;
  await followEvents({
    since: undefined,
    findSocket: async () => path,
    onEvent: ({ cursor }) => seen.push(cursor),
    onGap: () => {
      gaps++;
      if (gaps === 2) controller.abort();
    },
    retryMs: 1,
    signal: controller.signal,
  });
  t.strictSame(seen, [7, 8]);
  t.strictSame(served.searches, ['/v1/events', '/v1/events?since=8']);
});

t.test('it waits for a supervisor that is not there yet, and ends when told to', async (t) => {
  const path = join(scratchHome(t).root, 'e.sock');
  const controller = new AbortController();
  const seen: number[] = [];
  let served: Stream | undefined;
  t.teardown(() => served?.close());
  await followEvents({
    since: 3,
    findSocket: async () => {
      if (served !== undefined) return path;
      served = await stream(path, (socket) => socket.send(recorded(4)));
      return undefined;
    },
    onEvent: ({ cursor }) => {
      seen.push(cursor);
      controller.abort();
    },
    onGap: () => undefined,
    retryMs: 1,
    signal: controller.signal,
  });
  t.strictSame(seen, [4]);
  t.strictSame(served?.searches, ['/v1/events?since=3']);
});
