import { chmodSync, chownSync, existsSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import type { ListenAddress } from '../../src/core/ipc.js';
import { KeptListener, type Taker } from './kept-listener.js';

/** How long a stale-looking unix socket gets to answer before it is taken for dead. */
const PROBE_MS = 500;

export interface SocketOwner {
  readonly uid: number;
  readonly gid: number;
}

const OWNER_ONLY = 0o600;

/** The listening sockets of one profile, kept across its generations. */
export class ProfileListeners {
  readonly #kept = new Map<string, KeptListener>();
  #wantedNow = new Set<string>();
  #owner: SocketOwner | undefined;

  /** Who besides us may connect to its unix sockets from the next `listen` on; undefined: nobody. */
  giveTo(owner: SocketOwner | undefined): void {
    this.#owner = owner;
  }

  /** Binds the address, or answers with the socket that an earlier generation left open. */
  async listen(address: ListenAddress): Promise<KeptListener> {
    const key = keyOf(address);
    this.#wantedNow.add(key);
    const existing = this.#kept.get(key);
    if (existing === undefined && address.kind === 'unix') await removeStaleSocket(address.path);
    const listener = existing ?? (await KeptListener.open(address));
    this.#kept.set(key, listener);
    if (address.kind === 'unix') closeToOthers(address.path, this.#owner);
    return listener;
  }

  handTo(address: ListenAddress, taker: Taker): void {
    this.#kept.get(keyOf(address))?.handTo(taker);
  }

  /** The generation is leaving: what arrives now waits for the next one. */
  hold(): void {
    this.#wantedNow = new Set();
    for (const listener of this.#kept.values()) listener.hold();
  }

  /** The new generation is ready: sockets it did not ask for are closed. */
  async dropUnwanted(): Promise<void> {
    const unwanted = [...this.#kept].filter(([key]) => !this.#wantedNow.has(key));
    for (const [key] of unwanted) this.#kept.delete(key);
    await Promise.all(unwanted.map(([, listener]) => listener.close()));
  }

  async closeAll(): Promise<void> {
    this.#wantedNow = new Set();
    await this.dropUnwanted();
  }
}

/** By its path, because its directory is ours alone: nothing else can stand there. */
function closeToOthers(path: string, owner: SocketOwner | undefined): void {
  if (!existsSync(path)) return;
  chmodSync(path, OWNER_ONLY);
  if (process.geteuid?.() === 0) chownSync(path, owner?.uid ?? 0, owner?.gid ?? 0);
}

function keyOf(address: ListenAddress): string {
  return address.kind === 'tcp' ? `tcp:${address.host}:${address.port}` : `unix:${address.path}`;
}

/** A socket file that nobody answers on is what a killed owner left; a live one is not touched. */
async function removeStaleSocket(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const answered = await new Promise<boolean>((resolve) => {
    const probe = connect({ path });
    const settle = (alive: boolean) => {
      clearTimeout(timer);
      probe.destroy();
      resolve(alive);
    };
    const timer = setTimeout(() => settle(true), PROBE_MS);
    probe.once('connect', () => settle(true));
    probe.once('error', () => settle(false));
  });
  if (!answered) unlinkSync(path);
}
