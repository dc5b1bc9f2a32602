import { connect, type Socket } from 'node:net';
import { GatewardenError } from '../../../core/errors.js';
import type { PlatformReport, PlatformState } from '../../../core/work.js';
import { describeAddress, type Listener } from '../../link/port.js';
import { RETRY_AFTER_MS } from '../../turns/refusals.js';
import type { Announcement, PlatformAdapter, PlatformHost } from '../port.js';
import { LIMITS } from './limits.js';
import { LocalConnection } from './serve.js';
import { UnheardNews } from './unheard-news.js';

const NAME = 'local';

export function createLocal(path: string, host: PlatformHost): PlatformAdapter {
  return new Local(path, host);
}

/** JSON lines on a unix socket of the profile: what `gatewarden chat` speaks. */
class Local implements PlatformAdapter {
  readonly name = NAME;
  readonly canPush = true;
  readonly canStream = true;
  readonly maxTextLength = LIMITS.maxTextChars;
  readonly #path: string;
  readonly #host: PlatformHost;
  readonly #connections = new Set<LocalConnection>();
  readonly #unheard = new UnheardNews();
  #listener: Listener | undefined;
  #state: PlatformState = 'connecting';
  #draining = false;

  constructor(path: string, host: PlatformHost) {
    this.#path = path;
    this.#host = host;
  }

  async open(): Promise<void> {
    const address = { kind: 'unix', path: this.#path } as const;
    this.#listener = await this.#host.listen(address, (socket) => this.#accept(socket));
    this.#state = 'connected';
  }

  async verify(signal: AbortSignal): Promise<void> {
    const isAnswered = await isWelcomed(this.#path, signal);
    if (isAnswered) return;
    throw new GatewardenError('listen-failed', {
      address: this.#path,
      reason: 'its own connection was not answered',
      hint: 'look for what keeps this machine busy, then start again',
    });
  }

  drain(): void {
    this.#draining = true;
    for (const connection of this.#connections) connection.send(DRAINING);
  }

  async close(graceMs: number): Promise<void> {
    this.#state = 'stopped';
    this.#listener?.close();
    await Promise.all([...this.#connections].map((connection) => connection.end(graceMs)));
  }

  announce(news: Announcement): void {
    if (news.platform !== NAME) return;
    const heard = [...this.#connections].filter((connection) => connection.announce(news));
    if (heard.length === 0) this.#unheard.keep(news);
  }

  report(): PlatformReport {
    return { name: NAME, state: this.#state, detail: undefined };
  }

  address(): string | undefined {
    return this.#listener === undefined ? undefined : describeAddress(this.#listener.address);
  }

  #accept(socket: Socket): void {
    const connection = new LocalConnection(socket, {
      platform: NAME,
      host: this.#host,
      onJoin: (chatId) => {
        for (const news of this.#unheard.take(chatId)) connection.announce(news);
      },
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    if (this.#draining) connection.send(DRAINING);
  }
}

const DRAINING = { code: 'draining', retryAfterMs: RETRY_AFTER_MS } as const;

function isWelcomed(path: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answered: boolean) => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(answered);
    };
    const giveUp = () => settle(false);
    socket.once('data', () => settle(true));
    socket.once('error', giveUp);
    socket.once('close', giveUp);
    signal.addEventListener('abort', giveUp);
  });
}
