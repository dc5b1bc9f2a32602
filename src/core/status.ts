import type { BudgetRow } from './budgets.js';
import type { Cause } from './death.js';
import type { ParkReason, RetriesOn } from './judge.js';
import type { ProfileState } from './lifecycle.js';
import type { GatewayPlace } from './moves.js';
import type { Hold, PlatformState, WorkUnit } from './work.js';

/**
 * The body of `GET /v1/status` and of `gatewarden status --json` (design §11). Times are
 * ISO 8601 in UTC; absent values are null, as JSON has it.
 */
export interface StatusReport {
  readonly supervisor: SupervisorStatus;
  readonly profiles: readonly ProfileStatus[];
}

export interface SupervisorStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  readonly manager: 'systemd' | 's6' | 'launchd' | 'container' | 'terminal';
  readonly containment: string;
  /** why no stronger containment is in use; null on the strongest */
  readonly weakerBecause: string | null;
  readonly state: 'running' | 'draining';
  readonly health: 'ok' | 'degraded' | 'down';
  /** how long a stop of everything may take, and why (design §6) */
  readonly budgets: readonly BudgetRow[];
  /** what is wrong with the supervisor itself: `history is not being written: disk full` */
  readonly notices: readonly string[];
}

export type Desired = 'running' | 'stopped';

/** Restart counters by cause; `total` is their sum without `asked`. */
export type RestartCounters = Readonly<Record<Cause | 'total', number>>;

export interface PlatformStatus {
  readonly name: string;
  readonly state: PlatformState;
  /** why it is not connected */
  readonly detail: string | null;
}

export interface MoveStatus {
  readonly to: GatewayPlace;
  /** `waiting`: for a server that does not run; `failed`: it is back where it was */
  readonly phase: 'under-way' | 'waiting' | 'failed';
  readonly detail: string;
}

export interface ProfileStatus {
  readonly name: string;
  readonly kind: 'built-in' | 'command';
  readonly desired: Desired;
  readonly essential: boolean;
  /** as whom it runs by its `user`; null: as whoever runs the supervisor */
  readonly account: string | null;
  readonly state: ProfileState;
  readonly pid: number | null;
  readonly generation: number;
  readonly since: string;
  readonly readySince: string | null;
  /** last phase message while it starts */
  readonly phase: string | null;
  readonly restarts: RestartCounters;
  readonly storm: boolean;
  readonly lastExit: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly cause: Cause;
    readonly uptimeMs: number;
    readonly at: string;
    readonly evidence: string | null;
    readonly detail: string | null;
  } | null;
  readonly next: {
    readonly action: 'restart' | 'probe' | 'start-deadline' | 'kill';
    readonly at: string;
    readonly delayMs: number;
  } | null;
  readonly parked: {
    readonly reason: ParkReason;
    readonly detail: string;
    readonly remedy: string;
    readonly since: string;
    readonly retriesOn: RetriesOn;
  } | null;
  readonly served: string | null;
  /** it is not where the configuration wants it: in its own process, or served; null: it is */
  readonly move: MoveStatus | null;
  /** it serves what it has and takes nothing new; `state` is `draining` then, and `since` its begin */
  readonly held: Hold | null;
  readonly work: { readonly active: number; readonly units: readonly WorkUnit[] };
  readonly platforms: readonly PlatformStatus[];
  readonly resources: {
    readonly cpuPercent: number | null;
    readonly rssBytes: number | null;
    readonly processes: number | null;
    readonly containment: string;
  };
  readonly listen: readonly string[];
  /** the newest lines of its stderr (stdout where stderr is empty), oldest first */
  readonly lastLines: readonly string[];
  /** a notice an operator must see: survivors, dropped log lines, degraded detail */
  readonly notices: readonly string[];
}

/** What `status` exits with for a report (design §4 names the numbers). */
export type StatusVerdict = 'ready' | 'degraded' | 'down';

/** Judges only profiles that an operator wants to run. */
export function judgeStatus(report: StatusReport): StatusVerdict {
  const wanted = report.profiles.filter((profile) => profile.desired === 'running');
  if (wanted.some((profile) => isDown(profile.state))) return 'down';
  return wanted.every((profile) => profile.state === 'ready' || profile.state === 'served')
    ? 'ready'
    : 'degraded';
}

function isDown(state: ProfileState): boolean {
  return state === 'parked' || state === 'stopped';
}
