import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { clampTimerMs } from '../../core/durations.js';

/**
 * How long an idle connection is kept when a drain begins: a request that its client has sent
 * already is still read, and told to retry instead of being reset.
 */
const IDLE_LINGER_MS = 250;

/** An HTTP server that is fed with accepted sockets, wherever they were accepted. */
export class HttpServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closeWaiters = new Set<() => void>();
  readonly #idleLingerMs: number;
  #draining = false;
  #lingering: NodeJS.Timeout | undefined;

  constructor(listener: RequestListener, idleLingerMs = IDLE_LINGER_MS) {
    this.#idleLingerMs = idleLingerMs;
    this.#server = createServer((request, response) => {
      if (this.#draining) response.setHeader('Connection', 'close');
      // it may have become idle during a drain, and idle connections end at once then
      response.once('close', () => {
        if (this.#draining && this.#lingering === undefined) {
          setImmediate(() => this.#server.closeIdleConnections());
        }
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

  /** Ends idle connections shortly and each other one after its answer (field case D30). */
  drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#lingering = setTimeout(() => {
      this.#lingering = undefined;
      this.#server.closeIdleConnections();
    }, this.#idleLingerMs);
  }

  /** Waits for answers in flight at most `graceMs`, then cuts them off. */
  async close(graceMs: number): Promise<void> {
    this.drain();
    if (this.#sockets.size > 0) await this.#allClosed(graceMs);
    clearTimeout(this.#lingering);
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
