import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  type FromChat,
  parseFromChat,
  renderLine,
  type ToChat,
} from '../../src/core/local-protocol.js';

export interface ChatServer {
  readonly heard: readonly FromChat[];
  close(): Promise<void>;
}

/** A real socket that speaks the local protocol; a test says what each message is answered with. */
export async function startChatServer(
  path: string,
  answer: (message: FromChat, send: (reply: ToChat) => void, socket: Socket) => void,
): Promise<ChatServer> {
  const heard: FromChat[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    const send = (reply: ToChat) => void socket.write(renderLine(reply));
    send({ code: 'welcome', profile: 'coder', version: '0.1.0' });
    createInterface({ input: socket }).on('line', (line) => {
      const parsed = parseFromChat(line);
      if (parsed.kind === 'broken') throw new Error(`${parsed.expected}, got ${parsed.got}`);
      heard.push(parsed.message);
      answer(parsed.message, send, socket);
    });
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    heard,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
