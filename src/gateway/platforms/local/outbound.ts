import type { Socket } from 'node:net';
import { renderLine, type ToChat } from '../../../core/local-protocol.js';
import { LIMITS } from './limits.js';

/**
 * Writes to a client that may be gone, or may not read.
 * @param onGone called once it has left, or never can
 */
export function sendLine(socket: Socket, message: ToChat, onGone = () => {}): void {
  if (socket.writable && socket.writableLength <= LIMITS.maxUnreadBytes) {
    socket.write(renderLine(message), onGone);
    return;
  }
  if (socket.writable) socket.destroy();
  onGone();
}
