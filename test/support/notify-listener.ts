import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Test } from 'tap';
import { until } from './until.js';

interface DatagramSocket {
  bind(path: string): void;
  on(event: 'message', listener: (message: Buffer) => void): void;
  close(): void;
}

/** A manager's end of NOTIFY_SOCKET: a real datagram socket that keeps what it is told. */
export interface NotifyListener {
  readonly path: string;
  readonly messages: readonly string[];
  /** waits for a message that has this line; returns the message */
  untilTold(line: string | RegExp): Promise<string>;
  /** the socket vanishes, as when its manager ends */
  close(): void;
}

export function listenForNotify(t: Test): NotifyListener {
  const directory = mkdtempSync('/tmp/gw-notify-');
  const path = join(directory, 'notify');
  const { createSocket } = createRequire(import.meta.url)('unix-dgram') as {
    createSocket(type: 'unix_dgram'): DatagramSocket;
  };
  const socket = createSocket('unix_dgram');
  const messages: string[] = [];
  socket.on('message', (message) => void messages.push(message.toString('utf8')));
  socket.bind(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) socket.close();
    isOpen = false;
    rmSync(directory, { recursive: true, force: true });
  };
  t.teardown(close);
  const has = (line: string | RegExp) => (message: string) =>
    message.split('\n').some((one) => (typeof line === 'string' ? one === line : line.test(one)));
  return {
    path,
    messages,
    close,
    async untilTold(line) {
      await until(`the manager is told ${String(line)}`, () => messages.some(has(line)));
      return messages.find(has(line)) ?? '';
    },
  };
}
