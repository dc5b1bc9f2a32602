import { chmodSync, chownSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { messageOf } from '../../src/core/errors.js';
import type { ReadinessListener, ReadinessPlace } from './readiness.js';

interface DatagramSocket {
  bind(path: string): void;
  on(event: 'message', listener: (message: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): void;
}

/** How long an EXTEND_TIMEOUT_USEC may extend is limited by the start policy, not here. */
const MICROSECONDS_PER_MS = 1000;

/**
 * The receiving end of sd_notify(3) for one program: READY=1 makes it ready, STATUS= tells a
 * phase, EXTEND_TIMEOUT_USEC= asks for time. Everything else is ignored.
 */
export function openNotifySocket(
  { notifySocket: path, account }: ReadinessPlace,
  listener: ReadinessListener,
): { close(): void } {
  try {
    const socket = bind(path);
    // its directory is ours alone, so nothing else stands at its path
    if (account !== undefined) chownSync(path, account.uid, account.gid);
    socket.on('message', (message) => interpret(message.toString('utf8'), listener));
    socket.on('error', (error) => listener.failed(messageOf(error)));
    return {
      close() {
        socket.close();
        rmSync(path, { force: true });
      },
    };
  } catch (error) {
    listener.failed(`cannot bind the notify socket ${path}: ${messageOf(error)}`);
    return { close: () => undefined };
  }
}

function bind(path: string): DatagramSocket {
  // CommonJS with a native part, and only these profiles need it
  const require = createRequire(import.meta.url);
  const { createSocket } = require('unix-dgram') as {
    createSocket(type: 'unix_dgram'): DatagramSocket;
  };
  rmSync(path, { force: true });
  const socket = createSocket('unix_dgram');
  socket.bind(path);
  chmodSync(path, 0o600);
  return socket;
}

function interpret(text: string, listener: ReadinessListener): void {
  const fields = new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const extendUsec = Number(fields.get('EXTEND_TIMEOUT_USEC'));
  const status = fields.get('STATUS');
  if (status !== undefined || extendUsec > 0) {
    listener.phase(status ?? 'starting', extendUsec > 0 ? extendUsec / MICROSECONDS_PER_MS : 0);
  }
  if (fields.get('READY') === '1') listener.ready();
}
