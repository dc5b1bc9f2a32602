import { getRequestListener } from '@hono/node-server';
import type { ApiServerSettings } from '../../../core/assignment.js';
import { GatewardenError, messageOf } from '../../../core/errors.js';
import type { ListenAddress } from '../../../core/ipc.js';
import type { PlatformReport, PlatformState } from '../../../core/work.js';
import { HttpServer } from '../../http/http-server.js';
import { isLoopbackHost } from '../../http/loopback.js';
import { requestUntilAnswered } from '../../http/self-request.js';
import { describeAddress, type Listener } from '../../link/port.js';
import type { Announcement, PlatformAdapter, PlatformHost } from '../port.js';
import { LIMITS } from './limits.js';
import { OpenStreams } from './open-streams.js';
import { createApp } from './serve.js';

export const NAME = 'api-server';

/** @throws GatewardenError credential-missing: without a key only this machine may ask */
export function createApiServer(settings: ApiServerSettings, host: PlatformHost): PlatformAdapter {
  if (settings.key === undefined && !isLoopbackHost(settings.host)) {
    throw new GatewardenError('credential-missing', {
      profile: host.profile,
      what: `platforms.api_server.key, because platforms.api_server.host is ${settings.host} and other machines reach that`,
      hint: 'set a key of 16 or more characters, or listen on 127.0.0.1',
    });
  }
  return new ApiServer(settings, host);
}

/** OpenAI's chat completions over HTTP. */
class ApiServer implements PlatformAdapter {
  readonly name = NAME;
  // who was cut off was told to come again, and does
  readonly canPush = false;
  readonly canStream = true;
  readonly maxTextLength = LIMITS.maxTextChars;
  readonly #settings: ApiServerSettings;
  readonly #host: PlatformHost;
  readonly #streams = new OpenStreams();
  readonly #answer: ConstructorParameters<typeof HttpServer>[0];
  #server: HttpServer;
  #listener: Listener | undefined;
  #state: PlatformState = 'connecting';
  #isDraining = false;

  constructor(settings: ApiServerSettings, host: PlatformHost) {
    this.#settings = settings;
    this.#host = host;
    const streams = this.#streams;
    const app = createApp({ platform: NAME, settings, host, streams, onBroken: host.onBroken });
    this.#answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    this.#server = new HttpServer(this.#answer);
  }

  async open(): Promise<void> {
    const { host, port } = this.#settings;
    // a server that was closed stays closed
    if (this.#state === 'stopped') this.#server = new HttpServer(this.#answer);
    this.#listener = await this.#host.listen({ kind: 'tcp', host, port }, this.#server.accept);
    this.#state = 'connected';
    const address = this.#listener.address;
    if (address.kind === 'tcp') {
      this.#host.mounts?.opened({ ...address, url: describeAddress(address) });
    }
  }

  async verify(signal: AbortSignal): Promise<void> {
    const address = this.#boundAddress();
    if (address?.kind !== 'tcp') return;
    try {
      await requestUntilAnswered({ ...address, path: '/health' }, signal);
    } catch (thrown) {
      throw new GatewardenError('listen-failed', {
        address: describeAddress(address),
        reason: messageOf(thrown),
        hint: 'look for what keeps this machine busy, then start again',
      });
    }
  }

  drain(): void {
    this.#isDraining = true;
    this.#server.drain();
  }

  async close(graceMs: number): Promise<void> {
    this.#state = 'stopped';
    // answers of guests leave by our connections
    if (this.#isDraining) await this.#host.mounts?.emptied();
    this.#listener?.close();
    await this.#server.close(graceMs);
  }

  announce(news: Announcement): void {
    if (news.platform === NAME) this.#streams.announce(news);
  }

  report(): PlatformReport {
    return { name: NAME, state: this.#state, detail: undefined };
  }

  address(): string | undefined {
    const address = this.#boundAddress();
    return address === undefined ? undefined : describeAddress(address);
  }

  #boundAddress(): ListenAddress | undefined {
    return this.#listener?.address;
  }
}
