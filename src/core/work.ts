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

/** The gateway's own account of itself; sent whenever it changes. */
export interface GatewayReport {
  readonly platforms: readonly PlatformReport[];
  readonly work: readonly WorkUnit[];
  /** where people and programs reach it: `http://127.0.0.1:8642`, a socket path */
  readonly listen: readonly string[];
  /** who has asked from outside that it takes nothing new; left out: nobody */
  readonly heldBy?: string;
}

export const EMPTY_REPORT: GatewayReport = Object.freeze({ platforms: [], work: [], listen: [] });
