import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname } from 'node:path';
import { errnoOf, GatewardenError, messageOf } from '../../src/core/errors.js';
import { ensureDirectory } from '../../src/store/index.js';

const OWNER_ONLY_UMASK = 0o177;
const OWNER_ONLY = 0o600;
const DEFAULT_PROBE_MS = 1000;

/**
 * Listens on a unix socket that only its owner may open. A file that an earlier supervisor left
 * is removed when nobody answers there.
 * @throws GatewardenError listen-failed
 */
export async function listenOnSocket(
  server: Server,
  path: string,
  probeMs = DEFAULT_PROBE_MS,
): Promise<void> {
  try {
    ensureDirectory(dirname(path));
  } catch (error) {
    throw listenFailed(path, messageOf(error), 'make its directory writable for this user');
  }
  await removeStale(path, probeMs);
  await listening(server, () => listenPrivately(server, path), path);
  chmodSync(path, OWNER_ONLY);
}

/** @throws GatewardenError listen-failed. @returns the address with the port really bound */
export async function listenOnTcp(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly host: string; readonly port: number }> {
  // exclusive: a cluster primary must never share this port with its workers
  await listening(server, () => server.listen({ host, port, exclusive: true }), `${host}:${port}`);
  const address = server.address() as AddressInfo;
  return { host, port: address.port };
}

/** The file must not exist with a wider mode for even a moment; the bind is done before this returns. */
function listenPrivately(server: Server, path: string): void {
  const before = process.umask(OWNER_ONLY_UMASK);
  try {
    server.listen({ path });
  } finally {
    process.umask(before);
  }
}

async function removeStale(path: string, probeMs: number): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw listenFailed(path, 'there is a file that is no socket', 'move that file away');
  }
  if (await isAnswered(path, probeMs)) {
    throw listenFailed(path, 'another process answers there', 'end it, then start again');
  }
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') {
      throw listenFailed(path, messageOf(error), 'remove the old socket');
    }
  }
}

/** A process that takes the connection but is too busy to go on is alive as well. */
function isAnswered(path: string, probeMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(probeMs, () => settle(true));
    socket.once('connect', () => settle(true));
    // EAGAIN: somebody listens whose backlog is full
    socket.once('error', (error) => settle(errnoOf(error) === 'EAGAIN'));
  });
}

function listening(server: Server, start: () => void, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      server.off('listening', onListening);
      const hint =
        errnoOf(error) === 'EADDRINUSE'
          ? 'choose another supervisor.control.listen, or end who has it'
          : 'check the address in supervisor.control.listen';
      reject(listenFailed(address, errnoOf(error) ?? messageOf(error), hint));
    };
    const onListening = () => {
      server.off('error', onError);
      resolve();
    };
    server.once('error', onError);
    server.once('listening', onListening);
    start();
  });
}

function listenFailed(address: string, reason: string, hint: string): GatewardenError {
  return new GatewardenError('listen-failed', { address, reason, hint });
}
