import { createServer, type Server, type Socket } from 'node:net';
import type { ListenAddress } from '../../src/core/ipc.js';

/** Takes one accepted socket; false: it could not, the socket is held for the next one. */
export type Taker = (socket: Socket, done: () => void) => boolean;

export interface HoldLimits {
  /** how long a connection may wait for a successor before it is told to retry */
  readonly holdMs: number;
  /** more waiting connections than this are told to retry at once */
  readonly maxHeld: number;
}

/** Long enough for any healthy restart, shorter than common client time-outs. */
export const DEFAULT_HOLD_LIMITS: HoldLimits = { holdMs: 10_000, maxHeld: 1024 };

/** How long a refused client gets to read its answer before the socket is destroyed. */
const LINGER_MS = 1000;

interface Held {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

/**
 * One listening socket, owned by the supervisor so that it stays open while the gateway behind
 * it is replaced. Connections are accepted unread (`pauseOnConnect`) and handed to the current
 * generation one at a time; without one they are held, then told to retry.
 *
 * node:cluster's own round-robin handle is not used here: it closes as soon as the last worker
 * has left, which is exactly the moment that a restart must bridge.
 */
export class KeptListener {
  readonly requested: ListenAddress;
  readonly #limits: HoldLimits;
  readonly #server: Server;
  readonly #held = new Set<Held>();
  #queue: Socket[] = [];
  #taker: Taker | undefined;
  #handing = false;

  private constructor(requested: ListenAddress, limits: HoldLimits) {
    this.requested = requested;
    this.#limits = limits;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  /** @throws the system error of a failed bind, such as EADDRINUSE */
  static async open(
    requested: ListenAddress,
    limits: HoldLimits = DEFAULT_HOLD_LIMITS,
  ): Promise<KeptListener> {
    const listener = new KeptListener(requested, limits);
    const server = listener.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const ready = () => {
        server.off('error', reject);
        resolve();
      };
      if (requested.kind === 'unix') server.listen({ path: requested.path }, ready);
      else server.listen({ host: requested.host, port: requested.port }, ready);
    });
    // EMFILE on accept and the like: the next connection tries again
    server.on('error', () => undefined);
    return listener;
  }

  /** The address really bound; port 0 is resolved. */
  get address(): ListenAddress {
    const bound = this.#server.address();
    if (this.requested.kind === 'tcp' && bound !== null && typeof bound === 'object') {
      return { kind: 'tcp', host: this.requested.host, port: bound.port };
    }
    return this.requested;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** From now on connections go to this generation; held ones first. */
  handTo(taker: Taker): void {
    this.#taker = taker;
    this.#handing = false;
    const waiting = [...this.#held];
    this.#held.clear();
    for (const { socket, timer } of waiting) {
      clearTimeout(timer);
      this.#queue.push(socket);
    }
    this.#handNext();
  }

  /** The generation drains or died: hold what comes from now on. */
  hold(): void {
    this.#taker = undefined;
    this.#handing = false;
    const waiting = this.#queue;
    this.#queue = [];
    for (const socket of waiting) this.#keep(socket);
  }

  async close(): Promise<void> {
    this.hold();
    for (const { socket, timer } of this.#held) {
      clearTimeout(timer);
      this.#refuse(socket);
    }
    this.#held.clear();
    // not awaited: its callback waits for every connection, and those have lives of their own
    this.#server.close();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #accept(socket: Socket): void {
    // a client that goes away while it waits is no error of ours
    socket.on('error', () => socket.destroy());
    if (this.#taker === undefined) {
      this.#keep(socket);
      return;
    }
    this.#queue.push(socket);
    this.#handNext();
  }

  #keep(socket: Socket): void {
    if (this.#held.size >= this.#limits.maxHeld) {
      this.#refuse(socket);
      return;
    }
    const held: Held = {
      socket,
      timer: setTimeout(() => {
        this.#held.delete(held);
        this.#refuse(socket);
      }, this.#limits.holdMs),
    };
    this.#held.add(held);
  }

  /** One at a time: a socket whose hand-over is not confirmed dies with a worker that dies. */
  #handNext(): void {
    if (this.#handing || this.#taker === undefined) return;
    const socket = this.#queue.shift();
    if (socket === undefined) return;
    if (socket.destroyed) {
      this.#handNext();
      return;
    }
    const taker = this.#taker;
    this.#handing = true;
    const taken = taker(socket, () => {
      if (this.#taker !== taker) return;
      this.#handing = false;
      this.#handNext();
    });
    if (!taken) {
      this.#queue.unshift(socket);
      this.hold();
    }
  }

  #refuse(socket: Socket): void {
    socket.end(this.requested.kind === 'tcp' ? HTTP_RETRY : LOCAL_RETRY);
    // unread input would turn our answer into a reset
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  }
}

const RETRY_AFTER_SECONDS = 2;

const HTTP_RETRY_BODY = JSON.stringify({
  error: {
    message: 'the gateway is restarting; retry shortly',
    type: 'server_error',
    code: 'gateway_restarting',
    param: null,
  },
});

const HTTP_RETRY = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json',
  `Retry-After: ${RETRY_AFTER_SECONDS}`,
  'Connection: close',
  `Content-Length: ${Buffer.byteLength(HTTP_RETRY_BODY)}`,
  '',
  HTTP_RETRY_BODY,
].join('\r\n');

const LOCAL_RETRY = `${JSON.stringify({ code: 'draining', retryAfterMs: RETRY_AFTER_SECONDS * 1000 })}\n`;
