import { existsSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import type { ListenAddress } from '../../src/core/ipc.js';
import { KeptListener, type Taker } from './kept-listener.js';

/** How long a stale-looking unix socket gets to answer before it is taken for dead. */
const PROBE_MS = 500;

/** The listening sockets of one profile, kept across its generations. */
export class ProfileListeners {
  readonly #kept = new Map<string, KeptListener>();
  #wantedNow = new Set<string>();

  /** Binds the address, or answers with the socket that an earlier generation left open. */
  async listen(address: ListenAddress): Promise<KeptListener> {
    const key = keyOf(address);
    this.#wantedNow.add(key);
    const existing = this.#kept.get(key);
    if (existing !== undefined) return existing;
    if (address.kind === 'unix') await removeStaleSocket(address.path);
    const opened = await KeptListener.open(address);
    this.#kept.set(key, opened);
    return opened;
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
