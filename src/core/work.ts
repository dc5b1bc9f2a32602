/** What a gateway tells about itself, over IPC and on /health/detailed. */

/** One thing in progress that a drain waits for (design §2). */
export interface WorkUnit {
  readonly kind: 'turn' | 'api-run' | 'job' | 'delivery';
  /** turn id, run id, …: unique within the gateway */
  readonly id: string;
  readonly session: string | undefined;
  /** epoch milliseconds */
  readonly startedAt: number;
}

export const PLATFORM_STATES = [
  'disabled',
  'connecting',
  'connected',
  'retrying',
  'fatal',
  'stopped',
] as const;
export type PlatformState = (typeof PLATFORM_STATES)[number];

export interface PlatformReport {
  readonly name: string;
  readonly state: PlatformState;
  /** why it is not connected; undefined when there is nothing to say */
  readonly detail: string | undefined;
}

/** A turn of which more processes live than a turn needs: told once for each crossing. */
export interface CrowdedTurn {
  readonly turn: string;
  readonly processes: number;
  readonly threshold: number;
}

/** Why a gateway that serves takes nothing new. */
export type Hold =
  /** a file asks for it (docs/gateway.md) */
  | {
      readonly kind: 'drain-request';
      readonly by: string;
      /** epoch milliseconds */
      readonly since: number;
      readonly path: string;
      /** what of the file is not understood, each a clause; left out by older gateways */
      readonly complaints?: readonly string[];
    }
  /** a restart was asked for from inside, and waits for what runs */
  | {
      readonly kind: 'restart';
      readonly by: string;
      readonly since: number;
      /** epoch milliseconds: it begins by then, whatever runs */
      readonly latestAt: number;
    };

/** The gateway's own account of itself; sent whenever it changes. */
export interface GatewayReport {
  readonly platforms: readonly PlatformReport[];
  readonly work: readonly WorkUnit[];
  /** where people and programs reach it: `http://127.0.0.1:8642`, a socket path */
  readonly listen: readonly string[];
  /** left out: it takes what comes */
  readonly held?: Hold | undefined;
}

export const EMPTY_REPORT: GatewayReport = Object.freeze({ platforms: [], work: [], listen: [] });
