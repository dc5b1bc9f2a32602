import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errors.js';
import { type ListenAddress, toListenError } from '../../core/ipc.js';
import { listenFailed } from './listen-errors.js';
import type { GatewayLink, Listener } from './port.js';

const SOCKET_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** How long an owner may take to accept before its socket file counts as left behind. */
const OWNER_ANSWER_MS = 1000;

/** Whom a gateway without a supervisor tells about itself. */
export type StandaloneEars = Omit<GatewayLink, 'listen'>;

/** The link of a gateway that runs alone: it binds by itself. */
export function createStandaloneLink(ears: StandaloneEars): GatewayLink {
  return { ...ears, listen: listenHere };
}

async function listenHere(
  address: ListenAddress,
  onConnection: (socket: Socket) => void,
): Promise<Listener> {
  // half-open: a client that has sent everything still reads the answer
  const server = createServer({ allowHalfOpen: true }, onConnection);
  try {
    if (address.kind === 'unix') await bindPath(server, address.path);
    else await bind(server, { host: address.host, port: address.port, exclusive: true });
  } catch (thrown) {
    throw listenFailed(address, toListenError(thrown));
  }
  return {
    address: address.kind === 'unix' ? address : boundAddress(server, address.host),
    close: () => server.close(),
  };
}

/** Takes over a socket file only when nobody answers on it. */
async function bindPath(server: Server, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  try {
    await bindPrivately(server, path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EADDRINUSE' || (await isAnswered(path))) throw thrown;
    rmSync(path, { force: true });
    await bindPrivately(server, path);
  }
}

/** The mode is right from the first moment: there is no time between bind and chmod. */
async function bindPrivately(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    const bound = bind(server, { path });
    process.umask(before);
    await bound;
  } finally {
    process.umask(before);
  }
  chmodSync(path, SOCKET_MODE);
}

function bind(
  server: Server,
  where:
    | { readonly path: string }
    | { readonly host: string; readonly port: number; readonly exclusive: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.removeListener('error', reject);
      // a failed accept (too many open files) must not end the gateway
      server.on('error', () => {});
      resolve();
    });
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(OWNER_ANSWER_MS, () => settle(true));
    socket.once('connect', () => settle(true));
    socket.once('error', (error) => settle(errnoOf(error) !== 'ECONNREFUSED'));
  });
}

function boundAddress(server: Server, host: string): ListenAddress {
  return { kind: 'tcp', host, port: (server.address() as AddressInfo).port };
}
