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
  /** undefined below cgroup2 */
  readonly place: ContainmentPlace | undefined;
  /**
   * What earlier owners of the same place left behind and only the place shows; empty ones are
   * removed. The tag and recorded identities find the rest.
   * @param recorded directories of scopes that were noted when they were opened
   */
  leftovers(recorded: readonly string[]): readonly Scope[];
  /** @param name unique among the open scopes; letters, digits, `.`, `_` and `-` */
  openScope(name: string, options?: ScopeOptions): Scope;
  /** The pids of many scopes by one look at the host. */
  census(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly number[]>>;
  /** Goes back to where we were started and takes down what was made for us. */
  close(): Promise<void>;
}

/** For a helper that outlives us and must know where we worked. */
export interface ContainmentPlace {
  /** the cgroup that we were started in */
  readonly origin: string;
  /** our subtree of it: scopes stand right below */
  readonly tree: string;
  /** where we and our helpers live, in the tree but no scope */
  readonly leaf: string;
}

export interface ScopeOptions {
  /** carried by every process of the scope in GATEWARDEN_SCOPE; default: the owner's tag + name */
  readonly tag?: string;
  readonly limits?: ScopeLimits;
  /** the scope's own processes go here, so that scopes may be opened beside it */
  readonly leaf?: string;
  /** may open scopes of its own in it: the place is given to this account */
  readonly owner?: Ids | undefined;
  /** take the scope of that name which an earlier owner left, if it is still there */
  readonly reopen?: boolean;
}

/** Who may work in a place. */
export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** As whom a program is started. */
export interface RunAs extends Ids {
  /** supplementary groups */
  readonly groups: readonly number[];
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
  /** a single scope may have to make do with a weaker rung than its containment's */
  readonly rung: Rung;
  /** what was asked for and could not be had, one clause each */
  readonly notices: readonly string[];
  /** directory of its cgroup, to hand to a process that opens scopes in it; undefined below cgroup2 */
  readonly place: string | undefined;
  /**
   * Starts a program in it: own session, tag, cgroup joined before the program runs. A program
   * that cannot be started ends in the `error` event of Node, with the errno of the kernel.
   */
  spawn(request: LaunchRequest): ChildProcess;
  /**
   * Takes in a process that exists (a cluster worker, one of an earlier life of ours).
   * @returns why the kernel would not let it in; it is known and ended all the same
   */
  adopt(process: AdoptedProcess): string | undefined;
  /** Everything alive in it, found afresh. */
  members(): Promise<readonly ScopeMember[]>;
  /** How many are alive in it; cheaper than `members`. */
  count(): Promise<number>;
  /** What the kernel itself adds up for it. */
  usage(): Usage;
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
  /** undefined: as whoever starts it */
  readonly account?: RunAs | undefined;
  /** raised to this, never lowered: the kernel takes tools before the gateway */
  readonly oomScoreAdj?: number;
}

export interface AdoptedProcess {
  readonly pid: number | undefined;
  /** it leads a session of its own (a cluster worker shares ours: fact 2 of style.md) */
  readonly ownSession: boolean;
  /** tells its end without anybody looking */
  readonly child?: ChildProcess;
}

export interface ScopeMember {
  readonly pid: number;
  /** kernel clock ticks since boot; undefined where there is no /proc */
  readonly startTicks: number | undefined;
}

/** Undefined where the kernel keeps no sum: then the members have to be asked. */
export interface Usage {
  /** processor time since it was opened */
  readonly cpuMs: number | undefined;
  readonly memoryBytes: number | undefined;
}

export const UNKNOWN_USAGE: Usage = Object.freeze({ cpuMs: undefined, memoryBytes: undefined });

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
