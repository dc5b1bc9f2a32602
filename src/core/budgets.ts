import { MAX_TIMER_MS } from './durations.js';

/**
 * The one chain of time budgets (design §6). Supervisor, gateway, CLI, `status`, `doctor` and the
 * unit generators read it; nobody adds a number of his own:
 *
 * - `profileChain(settings)` for one gateway: its own unit (`TimeoutStopSec`, `timeout-kill`,
 *   `ExitTimeOut`, `terminationGracePeriodSeconds` = `at['manager-stop']`), the container around
 *   it (`at['runtime-grace']`);
 * - `hostChain(profiles)` for the supervisor's unit; all profiles stop at the same time;
 * - `gatewayBudgets(settings)` for the waits inside a gateway;
 * - `withinManager(settings, stopMs)` where the manager cannot be given what the chain asks for
 *   (launchd clamps a GUI domain to 60 s).
 *
 * Everything counts from the moment at which the stop is asked for. A stop returns as soon as
 * everything is dead: these are limits, not waits. `manager-stop` and `runtime-grace` are whole
 * seconds. From a configuration: `src/config/budgets.ts`.
 */
export const BUDGET_STEPS = [
  'drain',
  'interrupt-grace',
  'evidence-dump',
  'supervisor-kill',
  'manager-stop',
  'runtime-grace',
] as const;
export type BudgetStep = (typeof BUDGET_STEPS)[number];

/** What an operator may choose, in milliseconds; the rest is fixed below. */
export interface BudgetSettings {
  /** turns, API runs, deliveries in the background; 0: nobody is waited for */
  readonly drainMs: number;
  /** scheduled jobs; 0: they are not waited for longer than anything else */
  readonly jobsDrainMs: number;
  /** a restart that a turn asks for from inside waits so long for that turn; before the chain */
  readonly afterTurnMs: number;
  /** what interrupted turns may take to let go */
  readonly interruptGraceMs: number;
  /** what a gateway that overstayed everything else may take before SIGKILL */
  readonly killAfterMs: number;
  /** another program under the contract: it has no turns to interrupt and no guard that dumps */
  readonly isProgram: boolean;
}

export interface BudgetRow {
  readonly step: BudgetStep;
  /** how much later than the row before */
  readonly addsMs: number;
  /** since the stop was asked for */
  readonly atMs: number;
  readonly reason: string;
}

export interface BudgetChain {
  readonly rows: readonly BudgetRow[];
  readonly at: Readonly<Record<BudgetStep, number>>;
  /** the settings ask for more than the longest timer: the drain was cut to fit */
  readonly isCut: boolean;
}

/** What a gateway is told. */
export interface GatewayBudgets {
  /** turns, API runs, deliveries */
  readonly drainMs: number;
  readonly jobsDrainMs: number;
  /** the whole drain, whatever kinds of work there are: never less than the two above */
  readonly drainLimitMs: number;
  readonly afterTurnMs: number;
  readonly interruptGraceMs: number;
  /** after the end of the drain: the shutdown guard writes its stacks */
  readonly guardAfterDrainMs: number;
  /** so much later on a host that keeps the processor from us; after that the manager kills */
  readonly guardPatienceMs: number;
  /** after the guard has begun: it ends the process, with or without stacks */
  readonly dumpMs: number;
}

/** When a guard inside a process ends it; whoever kills from outside comes after both. */
export interface GuardBudget {
  /** of time in which the host let the process run */
  readonly withinMs: number;
  /** so much more, at most, where the host did not */
  readonly patienceMs: number;
}

const SECOND_MS = 1000;

/** Each with its reason; milliseconds. */
export const FIXED_BUDGETS = Object.freeze({
  // a job that was let finish still has to write its result (supervision.md 1.8)
  jobsCleanupMs: 10_000,
  // connections carry their last bytes away, what did not listen is interrupted once more, stores close
  closingMs: 3000,
  // stacks of a blocked process onto a slow disk; fsync was seen to take 31 s, but not by a thread
  // that writes one small file (supervision.md 5.8)
  evidenceDumpMs: 5000,
  // between two looks of a guard while an end is expected: so late may it be
  guardLookMs: 500,
  // between the guard's hard exit and the manager's SIGKILL, so that the evidence survives
  guardExitMs: 10_000,
  // what ending trees (12 s at worst), closing stores and our own exit may take after the last kill
  managerHeadroomMs: 30_000,
  // a manager that stops sooner would hit a host that is merely slow
  managerFloorMs: 60_000,
  // the container's own manager has to see our end and end itself
  runtimeReserveMs: 10_000,
  // the supervisor ends many trees on one loop
  hostReserveMs: 2000,
  hostReservePerProfileMs: 50,
  // what a client waits longer than the daemon's own budget: one more poll and a slow answer
  clientReserveMs: 15_000,
  // launchd: its SIGKILL comes at the second, ours must be before
  tightMarginMs: 2000,
  // the order is strict even where a setting is 0
  minStepMs: 1,
});

const REASONS: Readonly<Record<BudgetStep, string>> = Object.freeze({
  drain: 'work in progress may finish (drain_seconds, jobs_drain_seconds)',
  'interrupt-grace': 'what still runs is interrupted and lets go (interrupt_grace_seconds)',
  'evidence-dump': 'the shutdown guard writes stacks, then ends the gateway',
  'supervisor-kill': 'the supervisor ends the whole tree (kill_after_seconds)',
  'manager-stop': 'the service manager gives up on us (TimeoutStopSec and its like)',
  'runtime-grace': 'the container runtime gives up on the container',
});

/** One gateway, supervised or as a unit of its own. */
export function profileChain(settings: BudgetSettings): BudgetChain {
  return build(stepsOf(settings), 0);
}

/** All of them, stopping at the same time under one supervisor. */
export function hostChain(profiles: readonly BudgetSettings[]): BudgetChain {
  const chains = profiles.map((settings) => marksOf(stepsOf(settings)));
  // the larger of two rising rows rises too
  const marks = INNER.map((_, index) => Math.max(...chains.map((one) => one[index] ?? 0), index));
  const steps = marks.map((mark, index) => mark - (marks[index - 1] ?? 0));
  const { hostReserveMs, hostReservePerProfileMs } = FIXED_BUDGETS;
  const reserveMs = hostReserveMs + hostReservePerProfileMs * profiles.length;
  return build(steps, Math.min(reserveMs, MAX_RESERVE_MS));
}

export function gatewayBudgets(settings: Omit<BudgetSettings, 'killAfterMs'>): GatewayBudgets {
  // who kills from outside, and when, is not the gateway's business
  const { at } = profileChain({ ...settings, killAfterMs: 0 });
  return {
    drainMs: Math.min(settings.drainMs, at.drain),
    jobsDrainMs: Math.min(settings.jobsDrainMs, at.drain),
    drainLimitMs: at.drain,
    afterTurnMs: Math.min(settings.afterTurnMs, MAX_TIMER_MS),
    interruptGraceMs: Math.min(settings.interruptGraceMs, at['interrupt-grace'] - at.drain),
    guardAfterDrainMs: at['interrupt-grace'] - at.drain,
    guardPatienceMs: patienceBefore(at, at['manager-stop'] - FIXED_BUDGETS.guardExitMs),
    dumpMs: at['evidence-dump'] - at['interrupt-grace'],
  };
}

/** The guard by what a gateway itself was told: alone, or for signals unknown to its supervisor. */
export function ownGuardBudget(budgets: Omit<GatewayBudgets, 'drainMs'>): GuardBudget {
  const { drainLimitMs, guardAfterDrainMs, guardPatienceMs } = budgets;
  return { withinMs: drainLimitMs + guardAfterDrainMs, patienceMs: guardPatienceMs };
}

/** The guard of a supervised gateway: it has written its stacks before the supervisor kills. */
export function guardBudget({ at }: BudgetChain): GuardBudget {
  return {
    withinMs: at['interrupt-grace'],
    patienceMs: patienceBefore(at, at['supervisor-kill']),
  };
}

/** What a guard may wait longer and still be done with its dump by `killAtMs`. */
export function patienceBefore(at: BudgetChain['at'], killAtMs: number): number {
  return Math.max(0, killAtMs - FIXED_BUDGETS.guardLookMs - at['evidence-dump']);
}

/**
 * The drain cut so that guard and dump are over before a manager whose limit is given kills.
 * What is fixed stays: below that, the manager is faster whatever we do.
 */
export function withinManager(settings: BudgetSettings, managerStopMs: number): BudgetSettings {
  const [, interruptMs = 0, dumpMs = 0] = stepsOf(settings);
  const { guardExitMs, jobsCleanupMs, tightMarginMs } = FIXED_BUDGETS;
  const reserveMs = Math.max(guardExitMs, interruptMs + dumpMs + tightMarginMs);
  const leftMs = Math.max(0, managerStopMs - reserveMs);
  return {
    ...settings,
    drainMs: Math.min(settings.drainMs, leftMs),
    jobsDrainMs: Math.min(settings.jobsDrainMs, Math.max(0, leftMs - jobsCleanupMs)),
  };
}

/** How long a client may wait for a stop or a restart: never less than the daemon itself takes. */
export function clientWaitMs(chain: BudgetChain, afterTurnMs = 0): number {
  const waitMs = afterTurnMs + chain.at['supervisor-kill'] + FIXED_BUDGETS.clientReserveMs;
  return Math.min(waitMs, MAX_TIMER_MS);
}

/** The steps that are ours; the manager's and the runtime's follow from them. */
const INNER = ['drain', 'interrupt-grace', 'evidence-dump', 'supervisor-kill'] as const;

/** Enough for ten thousand profiles. */
const MAX_RESERVE_MS = 600_000;

function stepsOf(settings: BudgetSettings): number[] {
  const { closingMs, evidenceDumpMs, jobsCleanupMs, minStepMs } = FIXED_BUDGETS;
  const killMs = Math.max(settings.killAfterMs, minStepMs);
  if (settings.isProgram) return [settings.drainMs, minStepMs, minStepMs, killMs];
  const jobsMs = settings.jobsDrainMs === 0 ? 0 : settings.jobsDrainMs + jobsCleanupMs;
  const drainMs = Math.max(settings.drainMs, jobsMs);
  return [drainMs, settings.interruptGraceMs + closingMs, evidenceDumpMs, killMs];
}

function build(wanted: readonly number[], reserveMs: number): BudgetChain {
  const { managerHeadroomMs, runtimeReserveMs } = FIXED_BUDGETS;
  const tailMs = managerHeadroomMs + runtimeReserveMs + reserveMs + 2 * SECOND_MS;
  const steps = cutTo(wanted, MAX_TIMER_MS - tailMs);
  const marks = marksOf(steps);
  const [drain = 0, interrupt = 0, dump = 0, kill = 0] = marks;
  const managerStop = managerStopOf(dump, kill + reserveMs);
  const at = {
    drain,
    'interrupt-grace': interrupt,
    'evidence-dump': dump,
    'supervisor-kill': kill,
    'manager-stop': managerStop,
    'runtime-grace': toWholeSeconds(managerStop + runtimeReserveMs),
  };
  return { rows: rowsOf(at), at, isCut: steps.some((step, index) => step !== wanted[index]) };
}

function managerStopOf(dumpMs: number, killMs: number): number {
  const { guardExitMs, managerFloorMs, managerHeadroomMs } = FIXED_BUDGETS;
  return toWholeSeconds(Math.max(managerFloorMs, killMs + managerHeadroomMs, dumpMs + guardExitMs));
}

/** What is too much is taken from the first step that has it. */
function cutTo(steps: readonly number[], limitMs: number): number[] {
  let excessMs = Math.max(0, steps.reduce((sum, step) => sum + step, 0) - limitMs);
  return steps.map((step) => {
    const takenMs = Math.max(0, Math.min(excessMs, step - FIXED_BUDGETS.minStepMs));
    excessMs -= takenMs;
    return step - takenMs;
  });
}

function marksOf(steps: readonly number[]): number[] {
  let sumMs = 0;
  return steps.map((step) => {
    sumMs += step;
    return sumMs;
  });
}

function rowsOf(at: Readonly<Record<BudgetStep, number>>): BudgetRow[] {
  return BUDGET_STEPS.map((step, index) => {
    const before = BUDGET_STEPS[index - 1];
    const addsMs = at[step] - (before === undefined ? 0 : at[before]);
    return { step, addsMs, atMs: at[step], reason: REASONS[step] };
  });
}

function toWholeSeconds(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}
