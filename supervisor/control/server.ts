import type { Secret } from '../../src/core/secret.js';
import { type EventSocketOptions, EventSockets } from './event-sockets.js';
import { listenOnSocket, listenOnTcp } from './listen.js';
import { Listener } from './listener.js';
import type { ControlPort } from './port.js';

/*
 * Plain node:http on purpose. The supervisor is the process that must stay small and must always
 * answer; a web framework would be a good part of its memory for a dozen routes.
 */

export interface ControlServerOptions {
  readonly socketPath: string;
  /** the same API over TCP, for who has the token */
  readonly tcp?:
    | { readonly host: string; readonly port: number; readonly token: Secret }
    | undefined;
  readonly port: ControlPort;
  /** false: `GET /` is no route */
  readonly statusPage?: boolean;
  /** hears of every fault that was answered with 500 */
  readonly onFault?: (thrown: unknown) => void;
  readonly events?: Omit<EventSocketOptions, 'port'>;
}

export interface ControlServer {
  readonly address: {
    readonly socketPath: string;
    readonly tcp: { readonly host: string; readonly port: number } | undefined;
  };
  /** lets answers in progress finish, within the time given; idle sockets are just closed */
  close(graceMs?: number): Promise<void>;
}

/** @throws GatewardenError listen-failed */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const sockets = new EventSockets({ ...options.events, port: options.port });
  const common = {
    port: options.port,
    events: sockets,
    statusPage: options.statusPage ?? true,
    onFault: options.onFault ?? (() => undefined),
  };
  const local = new Listener({ ...common, rule: undefined });
  await listenOnSocket(local.server, options.socketPath);
  const { tcp } = options;
  if (tcp === undefined) {
    return toControlServer({ options, sockets, listeners: [local], tcpAddress: undefined });
  }
  const remote = new Listener({ ...common, rule: tcp });
  try {
    const tcpAddress = await listenOnTcp(remote.server, tcp);
    return toControlServer({ options, sockets, listeners: [local, remote], tcpAddress });
  } catch (error) {
    await local.close(0);
    throw error;
  }
}

interface Parts {
  readonly options: ControlServerOptions;
  readonly sockets: EventSockets;
  readonly listeners: readonly Listener[];
  readonly tcpAddress: ControlServer['address']['tcp'];
}

const DEFAULT_GRACE_MS = 500;

function toControlServer({ options, sockets, listeners, tcpAddress }: Parts): ControlServer {
  let closing: Promise<void> | undefined;
  return {
    address: { socketPath: options.socketPath, tcp: tcpAddress },
    close(graceMs = DEFAULT_GRACE_MS) {
      sockets.close();
      closing ??= Promise.all(listeners.map((one) => one.close(graceMs))).then(() => undefined);
      return closing;
    },
  };
}
