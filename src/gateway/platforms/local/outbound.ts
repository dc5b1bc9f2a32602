import type { Socket } from 'node:net';
import { renderLine, type ToChat } from '../../../core/local-protocol.js';
import { LIMITS } from './limits.js';

/** Writes to a client that may be gone, or may not read. */
export function sendLine(socket: Socket, message: ToChat): void {
  if (!socket.writable) return;
  if (socket.writableLength > LIMITS.maxUnreadBytes) return void socket.destroy();
  socket.write(renderLine(message));
}
