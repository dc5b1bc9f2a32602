import type { ChildProcess, StdioOptions } from 'node:child_process';

/** The means by which a tree is known and ended, strongest first (design §7). */
export const RUNGS = ['cgroup2', 'session+tag', 'ps-tree'] as const;
export type Rung = (typeof RUNGS)[number];

/** The best that this host offers, chosen once at the start. */
export interface Containment {
  readonly rung: Rung;
  /** why no stronger rung is used; undefined on the strongest */
  readonly weakerBecause: string | undefined;
  /** which limits the host can enforce, and why not the others */
  readonly limits: LimitSupport;
  /** @param name unique among the open scopes; letters, digits, `.`, `_` and `-` */
  openScope(name: string, options?: ScopeOptions): Scope;
  /** Leaves what was made for us alone; scopes are disposed of before. */
  close(): void;
}

export interface ScopeOptions {
  /** carried by every process of the scope in GATEWARDEN_SCOPE; default: the owner's tag + name */
  readonly tag?: string;
  readonly limits?: ScopeLimits;
  /** the scope's own processes go here, so that scopes may be opened beside it */
  readonly leaf?: string;
}

/** undefined: no limit. */
export interface ScopeLimits {
  readonly memoryBytes: number | undefined;
  readonly processes: number | undefined;
  /** cores, 0.5 = half a core */
  readonly cpus: number | undefined;
}

export const NO_LIMITS: ScopeLimits = Object.freeze({
  memoryBytes: undefined,
  processes: undefined,
  cpus: undefined,
});

/** How far a limit reaches here; `because` is a clause for an operator. */
export type LimitReach =
  | { readonly kind: 'tree' }
  /** each process by itself, not their sum */
  | { readonly kind: 'process'; readonly because: string }
  | { readonly kind: 'none'; readonly because: string };

export type LimitSupport = Readonly<Record<keyof ScopeLimits, LimitReach>>;

/** The processes that belong together: one generation's, or one turn's. */
export interface Scope {
  readonly name: string;
  readonly tag: string;
  /** directory of its cgroup, to hand to a process that opens scopes in it; undefined below cgroup2 */
  readonly place: string | undefined;
  /**
   * Starts a program in it: own session, tag, cgroup joined before the program runs. A program
   * that cannot be started ends in the `error` event of Node, with the errno of the kernel.
   */
  spawn(request: LaunchRequest): ChildProcess;
  /** Takes in a process that exists (a cluster worker). @returns why it could not, if so */
  adopt(child: AdoptedProcess): string | undefined;
  /** Everything alive in it, found afresh. */
  members(): Promise<readonly ScopeMember[]>;
  /** How many are alive in it; cheaper than `members`. */
  count(): Promise<number>;
  /** Processes of it that the kernel ended for want of memory, since it was opened. */
  oomKills(): number;
  /** Ends everything in it; returns the moment that all are dead. May be called again. */
  end(times: EndingTimes): Promise<Ending>;
  /** Gives its place back. @returns false when somebody still lives there: call it again */
  dispose(): boolean;
}

export interface LaunchRequest {
  /** never through a shell */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string | undefined;
  /** the program's whole environment; only the tag is added */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** raised to this, never lowered: the kernel takes tools before the gateway */
  readonly oomScoreAdj?: number;
}

/** What is needed of a process that somebody else started. */
export interface AdoptedProcess {
  readonly pid: number | undefined;
  /** it leads a session of its own (a cluster worker shares ours: fact 2 of style.md) */
  readonly ownSession: boolean;
}

export interface ScopeMember {
  readonly pid: number;
  /** kernel clock ticks since boot; undefined where there is no /proc */
  readonly startTicks: number | undefined;
}

export interface EndingTimes {
  /** from SIGTERM to its root until its survivors get it too, and again until SIGKILL; 0 = none */
  readonly graceMs: number;
  /** after SIGKILL: then survivors are reported; a teardown never blocks recovery */
  readonly giveUpMs: number;
  /** how often the tree is looked at where the kernel does not tell by itself */
  readonly lookEveryMs: number;
}

export interface Ending {
  /** pids that got a signal */
  readonly signalled: readonly number[];
  /** still alive when it was given up; they stay in the scope */
  readonly survivors: readonly number[];
}
