import type { HomeLayout } from '../../src/config/paths.js';
import type { StatusReport } from '../../src/core/status.js';
import type { GuardedOutput } from '../../src/observability/index.js';
import type { Cleanup } from '../cleanup.js';
import type { OwnedHome } from '../own-home.js';

export interface SupervisorOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** nothing is started twice; the worst exit decides ours */
  readonly once: boolean;
  /** end the present owner of the home first */
  readonly replace: boolean;
  /** default true: wait for an owner in another container or on another machine to be gone */
  readonly standby?: boolean;
  /** told who owns the home while we wait for that one to be gone */
  readonly onStandby?: (owner: string) => void;
  /** where readable log lines go besides the log file */
  readonly stderr?: GuardedOutput;
  readonly onStarted?: (info: StartedInfo) => void;
  /** once, when every desired profile is ready or known not to become so */
  readonly onSettled?: (report: StatusReport) => void;
}

export interface StartedInfo {
  readonly pid: number;
  readonly controlSocket: string;
  /** URL of the status page on TCP, if one is configured */
  readonly statusPage: string | undefined;
}

/**
 * What every step of the start is given. A step takes what the steps before it made and returns
 * that with its own parts added, so that the compiler holds the order; what it opens it adds to
 * `cleanup`, which closes in the opposite order.
 */
export interface Boot {
  readonly options: SupervisorOptions;
  readonly layout: HomeLayout;
  readonly owned: OwnedHome;
  /** of our own process; undefined where the host does not tell */
  readonly startTicks: number | undefined;
  readonly startedAt: Date;
  readonly cleanup: Cleanup;
}
