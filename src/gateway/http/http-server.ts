import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { clampTimerMs } from '../../core/durations.js';

/** An HTTP server that is fed with accepted sockets, wherever they were accepted. */
export class HttpServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closeWaiters = new Set<() => void>();
  #draining = false;

  constructor(listener: RequestListener) {
    this.#server = createServer((request, response) => {
      if (this.#draining) response.setHeader('Connection', 'close');
      // it may have become idle during a drain, and idle connections end at once then
      response.once('close', () => {
        if (this.#draining) setImmediate(() => this.#server.closeIdleConnections());
      });
      listener(request, response);
    });
    // it never listens itself, and only this event arms its header and request time-outs
    // and the list behind closeIdleConnections
    this.#server.emit('listening');
  }

  readonly accept = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) for (const settle of this.#closeWaiters) settle();
    });
    this.#server.emit('connection', socket);
  };

  /** Ends idle connections now and each other one after its answer (field case D30). */
  drain(): void {
    this.#draining = true;
    this.#server.closeIdleConnections();
  }

  /** Waits for answers in flight at most `graceMs`, then cuts them off. */
  async close(graceMs: number): Promise<void> {
    this.drain();
    if (this.#sockets.size > 0) await this.#allClosed(graceMs);
    for (const socket of this.#sockets) socket.destroy();
    // ends the time-out checks of a server that never listened
    this.#server.close(() => {});
  }

  #allClosed(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.#closeWaiters.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, clampTimerMs(graceMs));
      this.#closeWaiters.add(settle);
    });
  }
}
