import type { Account } from './account.js';
import type { GatewayBudgets } from './budgets.js';
import type { Owner } from './owner.js';
import type { WatchPolicy } from './watch.js';

/**
 * Everything a gateway needs to know to be one profile. It travels in the assignment message
 * (or is built in-process by `gateway run`), never in the environment, so that a worker can
 * boot before it is anybody. Secrets are plain text in here: never log it.
 */
export interface GatewayAssignment {
  readonly profile: string;
  /** 0 when run without a supervisor */
  readonly generation: number;
  readonly home: string;
  /** becomes this account before anything of the profile is opened; undefined: stays who it is */
  readonly account?: Account | undefined;
  /** directory of the profile's state: state.db, locks, evidence */
  readonly stateDir: string;
  /** unix socket of the `local` platform; undefined when that platform is off */
  readonly localSocket: string | undefined;
  readonly agent: AgentSettings;
  readonly apiServer: ApiServerSettings | undefined;
  /** its part of the API server of whoever serves it; undefined: it has a process of its own */
  readonly servedApi?: ServedApiSettings | undefined;
  /** turns at once; undefined: as many as come */
  readonly maxTurns?: number | undefined;
  readonly drainMs: number;
  /** the other waits of a stop */
  readonly budgets: Omit<GatewayBudgets, 'drainMs'>;
  /** when silence of a turn is told, and when it is too much; 0: never */
  readonly inactivity: InactivitySettings;
  readonly resume: ResumeSettings;
  /** platforms whose chats hear of stops and restarts */
  readonly lifecycleNotices: readonly string[];
  readonly watchdog: WatchPolicy;
  /** environment for the agent's own children: allow-list plus the profile's `env` */
  readonly env: Readonly<Record<string, string>>;
  /** texts to mask wherever foreign output is repeated */
  readonly secrets: readonly string[];
  /** most memory of one command with its tree; undefined: what the host allows */
  readonly toolMemoryBytes: number | undefined;
  /** how its own children are contained; undefined without a supervisor: it chooses by itself */
  readonly containment: ContainmentGrant | undefined;
  /** what decides whether it may run, and what it claims; undefined: nothing but its own lock */
  readonly ownership?: OwnershipGrant | undefined;
}

/** What its starter knows of others that may own the profile or its identities (docs/ownership.md). */
export interface OwnershipGrant {
  /** started by the supervisor that owns the home */
  readonly supervised: boolean;
  readonly force: boolean;
  readonly replace: boolean;
  /** the configuration's `multiplex_profiles`; what lives and answers beats it */
  readonly multiplexes: boolean;
  /** how long a replaced gateway's stop may take by its budgets */
  readonly replaceWaitMs: number;
  /** undefined: every profile */
  readonly allowlist: readonly string[] | undefined;
  /** a live supervisor that runs this profile, and is not our parent */
  readonly supervisor: Owner | undefined;
  /** whom it will serve besides itself, without being told by a supervisor; undefined: nobody */
  readonly serves?: readonly string[] | undefined;
  /** claimed machine-wide before any adapter opens */
  readonly identities: readonly OwnedIdentity[];
  /** how the paths of those claims begin, one for each place where they are made */
  readonly identityStems: readonly string[];
}

/** An account of a platform that only one process of the machine may use. */
export interface OwnedIdentity {
  /** `telegram`, `slack`: names of one scope never meet those of another */
  readonly scope: string;
  /** the token itself: never log it, never write it */
  readonly identity: string;
}

export interface InactivitySettings {
  /** without a sign of life: given up */
  readonly limitMs: number;
  /** without a sign of life: told once */
  readonly warningMs: number;
  /** without a word that its person sees: told each time */
  readonly noteMs: number;
}

/** How conversations that a restart cut off are taken up again (spec/supervision.md 6.6). */
export interface ResumeSettings {
  /** cut off longer ago than this: left to the next message; 0: never too long ago */
  readonly freshnessMs: number;
  readonly loopGuard: RestartLoopGuard;
}

/** When boots that found interrupted turns follow each other too closely. */
export interface RestartLoopGuard {
  /** this many in a row: nothing is taken up by itself any more; 0: off */
  readonly maxRestarts: number;
  /** boots within this time are always in a row */
  readonly windowMs: number;
  /** two boots further apart are not in a row */
  readonly maxGapMs: number;
}

/** What the supervisor has chosen and made for this generation (design §7). */
export interface ContainmentGrant {
  /** the profile's cgroup, where `turn-…` may be made beside the gateway's own; undefined: none */
  readonly place: string | undefined;
  /** why there is no stronger means, in the words of `status` */
  readonly weakerBecause: string | undefined;
  /** each program gets it where no controller can hold the whole tree to it */
  readonly memoryBytesPerProcess: number | undefined;
  /** the memory controller reaches the cgroups of turns */
  readonly holdsMemory: boolean;
}

export type AgentSettings = EchoSettings | OpenaiSettings | CommandSettings;

export interface EchoSettings {
  readonly driver: 'echo';
}

/** What an agent may be given to work with. */
export const TOOL_NAMES = ['terminal', 'process'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export interface OpenaiSettings {
  readonly driver: 'openai';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly systemPrompt: string | undefined;
  /** silence of the model before the request is given up */
  readonly timeoutMs: number;
  /** tries after the first, on 429, 5xx and connection faults */
  readonly maxRetries: number;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  /** newest messages given to the model */
  readonly historyMessages: number;
  /** empty: it only talks */
  readonly tools: readonly ToolName[];
}

export interface CommandSettings {
  readonly driver: 'command';
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  readonly historyMessages: number;
}

export interface ApiServerSettings extends ServedApiSettings {
  readonly host: string;
  readonly port: number;
}

export interface ServedApiSettings {
  /** bearer key; undefined is only valid on a loopback address */
  readonly key: string | undefined;
  readonly model: string;
  readonly maxConcurrent: number;
}
