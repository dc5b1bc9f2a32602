import type { Account } from '../core/account.js';
import type {
  AgentSettings,
  ApiServerSettings,
  InactivitySettings,
  RestartLoopGuard,
  ServedApiSettings,
} from '../core/assignment.js';
import type { RestartPolicy } from '../core/judge.js';
import type { Secret } from '../core/secret.js';
import type { WatchPolicy } from '../core/watch.js';

/**
 * The configuration after loading: checked, frozen, in milliseconds and bytes, with no field
 * that is optional but needed. Secrets stay wrapped until an assignment is built.
 */

/** One thing that is wrong, where, and what would be right. */
export interface ConfigProblem {
  readonly file: string;
  /** 1-based; undefined when the whole file is meant */
  readonly line: number | undefined;
  /** dotted path such as `platforms.api_server.port`; empty for the whole file */
  readonly key: string;
  readonly expected: string;
  readonly got: string;
  /** what to do, such as `did you mean drain_seconds?`; undefined when the expectation says it all */
  readonly hint: string | undefined;
}

export interface HostConfig {
  readonly start: {
    /** how long a generation may take to its first `ready` */
    readonly deadlineMs: number;
    /** most that one phase message may add, and all of them together */
    readonly maxLeaseMs: number;
    readonly maxTotalMs: number;
    /** profiles that may be starting at once; 0 = number of cores */
    readonly concurrency: number;
    readonly jitterMs: number;
  };
  readonly stop: {
    /** after the drain budget: time between the polite signal and SIGKILL */
    readonly killAfterMs: number;
  };
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error';
    readonly maxBytes: number;
    readonly files: number;
    /** child lines per second kept in logs before they are counted as dropped */
    readonly linesPerSecond: number;
  };
  readonly statusPage: { readonly enabled: boolean };
  /** a thread watches the supervisor's own loop, also where no manager asks for it */
  readonly watchThread: boolean;
  readonly control: {
    /** optional TCP address of the control API besides the unix socket */
    readonly listen: { readonly host: string; readonly port: number } | undefined;
    readonly token: Secret | undefined;
  };
  readonly gateway: {
    readonly multiplexProfiles: boolean;
    readonly multiplexAllowlist: readonly string[] | undefined;
    /** turns at once of each profile that shares a process */
    readonly multiplexMaxTurns: number;
    readonly restartLoopGuard: RestartLoopGuard;
  };
}

/** How a `command:` program says that it is ready (spec/cli.md). */
export type Readiness =
  | { readonly kind: 'fd' }
  | { readonly kind: 'notify' }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'log'; readonly pattern: string }
  | { readonly kind: 'started'; readonly afterMs: number };

export interface CommandProgram {
  /** never through a shell */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly ready: Readiness;
}

export interface ProfileLimits {
  readonly memoryBytes: number | undefined;
  /** of one tool command with its tree; undefined: what the host allows */
  readonly toolMemoryBytes: number | undefined;
  readonly processes: number | undefined;
  /** cores, 0.5 = half a core */
  readonly cpus: number | undefined;
}

/** Agent settings with their secrets still wrapped. */
export type AgentConfig = {
  [Driver in AgentSettings['driver']]: Wrapped<Extract<AgentSettings, { driver: Driver }>>;
}[AgentSettings['driver']];

/** The same shape with every `apiKey` and `key` as a Secret. */
type Wrapped<Settings> = {
  readonly [Name in keyof Settings]: Name extends 'apiKey' | 'key'
    ? Secret | undefined
    : Settings[Name];
};

export interface ProfileConfig {
  readonly name: string;
  readonly enabled: boolean;
  /** its final exit decides the supervisor's (field case A22) */
  readonly essential: boolean;
  /** defined: any program under the same contract; undefined: the built-in gateway */
  readonly command: CommandProgram | undefined;
  readonly agent: AgentConfig;
  readonly platforms: {
    readonly apiServer: Wrapped<ApiServerSettings> | undefined;
    /** its part of another profile's API server, where it is served; also while its own is off */
    readonly servedApi: Wrapped<ServedApiSettings> | undefined;
    readonly local: boolean;
  };
  readonly limits: ProfileLimits;
  readonly restart: RestartPolicy;
  readonly drainMs: number;
  readonly jobsDrainMs: number;
  readonly afterTurnMs: number;
  readonly interruptGraceMs: number;
  readonly inactivity: InactivitySettings;
  /** how long ago a conversation may have been cut off to be taken up by itself; 0: any time */
  readonly resumeFreshnessMs: number;
  /** platforms whose chats hear of stops and restarts */
  readonly lifecycleNotices: readonly string[];
  readonly watchdog: WatchPolicy;
  /** as the file says it */
  readonly user: string | undefined;
  /** whom it means on this host; undefined: runs as whoever starts it */
  readonly account: Account | undefined;
  /** the profile's `env`, secrets wrapped */
  readonly env: Readonly<Record<string, string | Secret>>;
  /** what names the profile's accounts, by platform: claimed for the whole machine */
  readonly owns: Readonly<Record<string, Secret>>;
  /** every secret the profile resolved, to mask foreign text with */
  readonly secrets: readonly Secret[];
}

export type LoadedProfile =
  | {
      readonly kind: 'good';
      readonly name: string;
      readonly config: ProfileConfig;
      /** changes when anything its start depends on changes (files, secrets, program, version) */
      readonly fingerprint: string;
    }
  | {
      readonly kind: 'bad';
      readonly name: string;
      readonly problems: readonly ConfigProblem[];
      readonly fingerprint: string;
    };

export interface LoadedConfig {
  readonly home: string;
  readonly host: HostConfig;
  /** by name, sorted; a bad profile is parked and never stops the others */
  readonly profiles: ReadonlyMap<string, LoadedProfile>;
  /** not wrong enough to stop anything, but an operator must see it */
  readonly notices: readonly string[];
  /** every file and directory that was read or looked for: what a watcher watches */
  readonly sources: readonly string[];
}
