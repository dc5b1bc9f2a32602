import type { EnvironmentMap } from './environment.js';

/** What a manager is told to run, in no manager's words. */
export interface Service {
  readonly subject: Subject;
  /** also the working directory: a checkout may vanish, the home is what the service is about */
  readonly home: string;
  /** program and arguments, never a shell line */
  readonly argv: Argv;
  /** runs when the main process has ended, whatever the reason; its failure counts for nothing */
  readonly afterStop: Argv;
  readonly env: EnvironmentMap;
  /** NAME=value lines for what must not stand in a unit; need not exist */
  readonly envFile: string;
  /** undefined: the account that the manager itself runs as */
  readonly account: Account | undefined;
  readonly budgets: ServiceBudgets;
  readonly limits: ServiceLimits;
}

export type Argv = readonly [string, ...string[]];

export type Subject =
  | { readonly kind: 'supervisor' }
  | { readonly kind: 'gateway'; readonly profile: string };

export function isSameSubject(a: Subject, b: Subject): boolean {
  if (a.kind === 'supervisor' || b.kind === 'supervisor') return a.kind === b.kind;
  return a.profile === b.profile;
}

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Of the one chain of budgets (design §6); a manager that gives less cuts into ours. */
export interface ServiceBudgets {
  /** until the first "ready"; what takes longer says so and is given more */
  readonly startMs: number;
  /** from the polite signal to the manager's SIGKILL */
  readonly stopMs: number;
  /** longest silence before the manager takes us for hung */
  readonly watchdogMs: number;
}

/** Ceilings for everything that the service starts; undefined: none. */
export interface ServiceLimits {
  readonly memoryBytes: number | undefined;
  readonly processes: number | undefined;
  /** cores */
  readonly cpus: number | undefined;
}

export const NO_LIMITS: ServiceLimits = Object.freeze({
  memoryBytes: undefined,
  processes: undefined,
  cpus: undefined,
});

/** What an installed unit, slot or plist says; undefined where it says nothing readable. */
export interface ReadService {
  readonly argv: readonly string[] | undefined;
  readonly env: EnvironmentMap;
  readonly workingDirectory: string | undefined;
  readonly envFile: string | undefined;
  readonly accountName: string | undefined;
  readonly startMs: number | undefined;
  readonly stopMs: number | undefined;
  readonly watchdogMs: number | undefined;
  readonly limits: ServiceLimits;
}

/**
 * The home that an installed service works on; it decides whose unit that is.
 * @param isOurs we wrote it: in any other unit a working directory says nothing about a home
 */
export function homeOf(service: ReadService, isOurs: boolean): string | undefined {
  return service.env.GATEWARDEN_HOME ?? (isOurs ? service.workingDirectory : undefined);
}
