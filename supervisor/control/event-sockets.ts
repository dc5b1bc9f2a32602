import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { ControlPort } from './port.js';

export interface EventSocketOptions {
  readonly port: ControlPort;
  /** what may wait for one consumer before it is cut */
  readonly maxBufferedBytes?: number;
  readonly pingEveryMs?: number;
  /** how long a socket may take to say goodbye */
  readonly closeWithinMs?: number;
}

const DEFAULT_MAX_BUFFERED_BYTES = 1024 * 1024;
const DEFAULT_PING_EVERY_MS = 30_000;
const DEFAULT_CLOSE_WITHIN_MS = 1000;

/** RFC 6455 and its registry: going away, and try again later. */
const CLOSE_GOING_AWAY = 1001;
const CLOSE_TRY_AGAIN_LATER = 1013;

/** Everyone who follows `GET /v1/events`. */
export class EventSockets {
  readonly #options: EventSocketOptions;
  readonly #maxBufferedBytes: number;
  readonly #followers = new Map<WebSocket, Follower>();
  #server: WebSocketServer | undefined;
  #pinging: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: EventSocketOptions) {
    this.#options = options;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Takes over a connection that asked for the stream; loads `ws` only now. */
  async accept(
    request: IncomingMessage,
    socket: Duplex,
    opening: { readonly head: Buffer; readonly afterCursor: number | undefined },
  ): Promise<void> {
    const server = await this.#loadServer();
    if (this.#closed || socket.destroyed) {
      socket.destroy();
      return;
    }
    server.handleUpgrade(request, socket, opening.head, (webSocket) => {
      this.#follow(webSocket, opening.afterCursor);
    });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#pinging);
    for (const socket of this.#followers.keys()) {
      this.#dismiss(socket, CLOSE_GOING_AWAY, 'the supervisor is stopping');
    }
  }

  async #loadServer(): Promise<WebSocketServer> {
    const { WebSocketServer: Server } = await import('ws');
    // nobody sends us anything but pongs; compression would cost memory per socket
    this.#server ??= new Server({ noServer: true, maxPayload: 1024, perMessageDeflate: false });
    return this.#server;
  }

  #follow(socket: WebSocket, afterCursor: number | undefined): void {
    const follower: Follower = { unsubscribe: () => undefined, isAnswering: true };
    this.#followers.set(socket, follower);
    this.#pinging ??= this.#startPinging();
    socket.on('pong', () => {
      follower.isAnswering = true;
    });
    // 'close' follows every error, also when the client just vanished (EPIPE, ECONNRESET)
    socket.on('error', () => undefined);
    socket.on('close', () => this.#forget(socket));
    follower.unsubscribe = this.#options.port.subscribe(afterCursor, {
      onEvent: (recorded) => this.#send(socket, JSON.stringify(recorded)),
      isFull: () => socket.bufferedAmount > this.#maxBufferedBytes / 2,
    });
    // it may have been cut while the first events were handed to it
    if (!this.#followers.has(socket)) follower.unsubscribe();
  }

  #send(socket: WebSocket, text: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > this.#maxBufferedBytes) {
      const reason = 'too slow: come back with since= and the last cursor';
      this.#dismiss(socket, CLOSE_TRY_AGAIN_LATER, reason);
      return;
    }
    socket.send(text);
  }

  #dismiss(socket: WebSocket, code: number, reason: string): void {
    this.#followers.get(socket)?.unsubscribe();
    socket.close(code, reason);
    const withinMs = this.#options.closeWithinMs ?? DEFAULT_CLOSE_WITHIN_MS;
    const timer = setTimeout(() => socket.terminate(), withinMs).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #forget(socket: WebSocket): void {
    this.#followers.get(socket)?.unsubscribe();
    this.#followers.delete(socket);
    if (this.#followers.size > 0) return;
    clearInterval(this.#pinging);
    this.#pinging = undefined;
  }

  /** One timer for all of them: a timer each would add up on the loop (field case D33). */
  #startPinging(): NodeJS.Timeout {
    const everyMs = this.#options.pingEveryMs ?? DEFAULT_PING_EVERY_MS;
    return setInterval(() => {
      for (const [socket, follower] of this.#followers) {
        if (!follower.isAnswering) {
          socket.terminate();
          continue;
        }
        follower.isAnswering = false;
        socket.ping();
      }
    }, everyMs).unref();
  }
}

interface Follower {
  unsubscribe: () => void;
  isAnswering: boolean;
}
