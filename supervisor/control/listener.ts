import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AdmissionRule, judgeAdmission } from './admission.js';
import { type Answer, answerRoute, refused, searchOf } from './answer.js';
import type { EventSockets } from './event-sockets.js';
import { parseCursor } from './parse-request.js';
import type { ControlPort } from './port.js';
import { refusalOf, unknownRoute, wrongMethod } from './refusals.js';
import { matchRoute, type RouteMatch } from './routes.js';
import { renderRawAnswer, writeAnswer } from './write-answer.js';

export interface ListenerOptions {
  readonly port: ControlPort;
  readonly events: EventSockets;
  /** undefined: whoever can open the socket may ask */
  readonly rule: AdmissionRule | undefined;
  readonly statusPage: boolean;
  readonly onFault: (thrown: unknown) => void;
}

const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16 * 1024,
};

/** One address and the connections that came in by it. */
export class Listener {
  readonly server: Server;
  readonly #options: ListenerOptions;
  readonly #connections = new Set<Socket>();
  #answering = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.server = createServer(SERVER_LIMITS, (request, response) => {
      void this.#answer(request, response);
    });
    // until it listens, whoever started it hears of errors
    this.server.once('listening', () => this.server.on('error', options.onFault));
    this.server.on('connection', (socket) => this.#track(socket));
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
  }

  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    if (this.#answering > 0 && graceMs > 0) await this.#idleWithin(graceMs);
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#answering++;
    response.on('close', () => {
      this.#answering--;
      if (this.#answering === 0) this.#onIdle?.();
    });
    // the client may leave at any moment; there is nobody to tell
    response.on('error', () => undefined);
    writeAnswer(request, response, await this.#answerOf(request));
  }

  async #answerOf(request: IncomingMessage): Promise<Answer> {
    try {
      const barred = this.#barred(request);
      if (barred !== undefined) return barred;
      const match = this.#match(request);
      if (match.kind === 'route')
        return await answerRoute(match.route, request, this.#options.port);
      return refused(refusalOfMatch(match, request));
    } catch (thrown) {
      return this.#refuse(thrown);
    }
  }

  #barred(request: IncomingMessage): Answer | undefined {
    const { rule } = this.#options;
    const refusal = rule && judgeAdmission(rule, request.headers);
    return refusal && refused(refusal);
  }

  #refuse(thrown: unknown): Answer {
    const refusal = refusalOf(thrown);
    if (refusal.status >= 500) this.#options.onFault(thrown);
    return refused(refusal);
  }

  #match(request: IncomingMessage): RouteMatch {
    const match = matchRoute(request.method ?? '', pathOf(request));
    const isPage = match.kind === 'route' && match.route.kind === 'page';
    return isPage && !this.#options.statusPage ? { kind: 'unknown' } : match;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const refusal = this.#upgradeRefusal(request);
    if (refusal !== undefined) {
      socket.end(renderRawAnswer(refusal));
      return;
    }
    try {
      const afterCursor = parseCursor(searchOf(request));
      await this.#options.events.accept(request, socket, { head, afterCursor });
    } catch (thrown) {
      socket.end(renderRawAnswer(this.#refuse(thrown)));
    }
  }

  #upgradeRefusal(request: IncomingMessage): Answer | undefined {
    const barred = this.#barred(request);
    if (barred !== undefined) return barred;
    const match = this.#match(request);
    if (match.kind === 'route' && match.route.kind === 'events') return undefined;
    return refused(unknownRoute('WebSocket', pathOf(request)));
  }

  #track(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }

  #idleWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function refusalOfMatch(match: Exclude<RouteMatch, { kind: 'route' }>, request: IncomingMessage) {
  const method = request.method ?? '';
  return match.kind === 'unknown'
    ? unknownRoute(method, pathOf(request))
    : wrongMethod(method, match.allow);
}
