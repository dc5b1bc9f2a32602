import type { Socket } from 'node:net';
import type { ListenAddress } from '../../core/ipc.js';
import type { CrowdedTurn, GatewayReport } from '../../core/work.js';

/** A listening socket, wherever it is bound. */
export interface Listener {
  /** the address really bound: port 0 resolved */
  readonly address: ListenAddress;
  /** no connection is handed over any more */
  close(): void;
}

/** Where a gateway gets its connections from and whom it tells about itself. */
export interface GatewayLink {
  /** @throws GatewardenError listen-failed */
  listen(address: ListenAddress, onConnection: (socket: Socket) => void): Promise<Listener>;
  /** start-up goes on, for at most `leaseMs` more until the next word */
  phase(phase: string, leaseMs: number): void;
  ready(report: GatewayReport): void;
  report(report: GatewayReport): void;
  degraded(detail: string): void;
  recovered(): void;
  /** a restart was asked for from inside, and nothing speaks against it any more */
  restartWanted(detail: string): void;
  turnCrowded(crowded: CrowdedTurn): void;
}

/** `http://127.0.0.1:8642` or `unix:/path`: how people and programs are told where to connect. */
export function describeAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${address.port}`;
}
