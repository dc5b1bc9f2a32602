import type { Socket } from 'node:net';
import type { FromWorker, ListenAddress, ToWorker } from '../../core/ipc.js';
import { listenFailed } from './listen-errors.js';
import type { GatewayLink, Listener } from './port.js';

type ListenResult = Extract<ToWorker, { code: 'listen-result' }>;

interface Wanted {
  readonly address: ListenAddress;
  readonly onConnection: (socket: Socket) => void;
  readonly settle: (result: ListenResult) => void;
}

/** The supervisor binds and keeps the sockets; accepted connections come over IPC. */
export class SupervisedLink implements GatewayLink {
  readonly #send: (message: FromWorker) => void;
  readonly #onRestartWanted: () => void;
  readonly #listeners = new Map<number, Wanted>();
  #nextId = 1;

  /** @param onRestartWanted called when the supervisor was asked for a restart */
  constructor(send: (message: FromWorker) => void, onRestartWanted: () => void = () => {}) {
    this.#send = send;
    this.#onRestartWanted = onRestartWanted;
  }

  listen(address: ListenAddress, onConnection: (socket: Socket) => void): Promise<Listener> {
    return this.#listen(address, onConnection, undefined);
  }

  phase(phase: string, leaseMs: number): void {
    this.#send({ code: 'phase', phase, leaseMs });
  }

  ready(report: Parameters<GatewayLink['ready']>[0]): void {
    this.#send({ code: 'ready', report });
  }

  report(report: Parameters<GatewayLink['report']>[0]): void {
    this.#send({ code: 'report', report });
  }

  degraded(detail: string): void {
    this.#send({ code: 'degraded', detail });
  }

  recovered(): void {
    this.#send({ code: 'recovered' });
  }

  restartWanted(detail: string): void {
    this.#send({ code: 'restart-wanted', detail });
    this.#onRestartWanted();
  }

  turnCrowded(crowded: Parameters<GatewayLink['turnCrowded']>[0]): void {
    this.#send({ code: 'processes-high', ...crowded });
  }

  /** The same channel for a profile that is served besides: each of its messages names it. */
  forGuest(profile: string): GatewayLink {
    return {
      listen: (address, onConnection) => this.#listen(address, onConnection, profile),
      phase: (phase, leaseMs) => this.#send({ code: 'phase', profile, phase, leaseMs }),
      ready: (report) => this.#send({ code: 'ready', profile, report }),
      report: (report) => this.#send({ code: 'report', profile, report }),
      degraded: (detail) => this.#send({ code: 'degraded', profile, detail }),
      recovered: () => this.#send({ code: 'recovered', profile }),
      turnCrowded: (crowded) => this.#send({ code: 'processes-high', profile, ...crowded }),
      restartWanted: (detail) => this.#send({ code: 'restart-wanted', profile, detail }),
    };
  }

  takeListenResult(result: ListenResult): void {
    this.#listeners.get(result.id)?.settle(result);
  }

  /** `socket` is undefined when its client left while it travelled. */
  takeConnection(id: number, socket: Socket | undefined): void {
    this.#send({ code: 'taken', id });
    if (socket === undefined || socket === null) return;
    const listener = this.#listeners.get(id);
    if (listener === undefined) return void socket.destroy();
    // half-open: a client that has sent everything still reads the answer
    socket.allowHalfOpen = true;
    listener.onConnection(socket);
  }

  /** The supervisor is gone: nobody will answer what was asked. */
  failAll(text: string): void {
    for (const [id, { settle }] of [...this.#listeners]) {
      settle({
        code: 'listen-result',
        id,
        address: undefined,
        error: { errno: 'EPIPE', text },
      });
    }
  }

  #listen(
    address: ListenAddress,
    onConnection: (socket: Socket) => void,
    profile: string | undefined,
  ): Promise<Listener> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const settle = ({ address: bound, error }: ListenResult) => {
        if (error === undefined || error === null) {
          const close = () => this.#listeners.delete(id);
          return resolve({ address: bound ?? address, close });
        }
        this.#listeners.delete(id);
        reject(listenFailed(address, error));
      };
      this.#listeners.set(id, { address, onConnection, settle });
      this.#send({ code: 'listen', id, address, ...(profile === undefined ? {} : { profile }) });
    });
  }
}
