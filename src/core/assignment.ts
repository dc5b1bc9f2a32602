import type { GatewayBudgets } from './budgets.js';

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
  /** directory of the profile's state: state.db, locks, evidence */
  readonly stateDir: string;
  /** unix socket of the `local` platform; undefined when that platform is off */
  readonly localSocket: string | undefined;
  readonly agent: AgentSettings;
  readonly apiServer: ApiServerSettings | undefined;
  readonly drainMs: number;
  /** the other waits of a stop */
  readonly budgets: Omit<GatewayBudgets, 'drainMs'>;
  /** environment for the agent's own children: allow-list plus the profile's `env` */
  readonly env: Readonly<Record<string, string>>;
  /** texts to mask wherever foreign output is repeated */
  readonly secrets: readonly string[];
  /** how its own children are contained; undefined without a supervisor: it chooses by itself */
  readonly containment: ContainmentGrant | undefined;
}

/** What the supervisor has chosen and made for this generation (design §7). */
export interface ContainmentGrant {
  /** the profile's cgroup, where `turn-…` may be made beside the gateway's own; undefined: none */
  readonly place: string | undefined;
  /** why there is no stronger means, in the words of `status` */
  readonly weakerBecause: string | undefined;
  /** each program gets it where no controller can hold the whole tree to it */
  readonly memoryBytesPerProcess: number | undefined;
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

export interface ApiServerSettings {
  readonly host: string;
  readonly port: number;
  /** bearer key; undefined is only valid on a loopback address */
  readonly key: string | undefined;
  readonly model: string;
  readonly maxConcurrent: number;
}
