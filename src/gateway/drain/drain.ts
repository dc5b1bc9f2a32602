import { setImmediate } from 'node:timers/promises';
import type { GatewayBudgets } from '../../core/budgets.js';
import { clampTimerMs } from '../../core/durations.js';
import type { DrainReason } from '../../core/ipc.js';
import { monotonicMs } from '../../core/monotonic.js';
import type { WorkUnit } from '../../core/work.js';
import type { GatewayLog } from '../log.js';
import type { PlatformAdapter } from '../platforms/port.js';
import type { GatewayProcesses } from '../processes/open-processes.js';
import type { ResumeReason } from '../sessions/records.js';
import type { GatewayTimings } from '../timings.js';
import type { TurnRunner } from '../turns/runner.js';
import { type EndingPlan, planEnding } from './plan-ending.js';
import { planWait, type WaitPlan } from './plan-wait.js';
import { planWaitNews, type WaitNews } from './wait-news.js';
import { type DrainBudgets, drainBudgets } from './work-kinds.js';

/** What sessions that do not finish are marked with. */
const RESUME_REASONS: Readonly<Record<DrainReason, ResumeReason>> = Object.freeze({
  stop: 'shutdown_timeout',
  restart: 'restart_timeout',
  'supervisor-lost': 'shutdown_timeout',
});

export interface DrainParts {
  readonly turns: TurnRunner;
  readonly adapters: readonly PlatformAdapter[];
  readonly processes: Pick<GatewayProcesses, 'close'>;
  readonly timings: GatewayTimings;
  readonly log: GatewayLog;
  /** silence after which a turn counts as wedged; 0: never */
  readonly inactivityMs: number;
  /** least time for jobs, and when the shutdown guard ends us */
  readonly budgets: Pick<GatewayBudgets, 'jobsDrainMs' | 'drainLimitMs' | 'guardAfterDrainMs'>;
  /** tells chats with work in progress what happens to them */
  readonly tellDown: (reason: DrainReason) => void;
}

export interface DrainOrder {
  readonly reason: DrainReason;
  readonly budgetMs: number;
  /** what interrupted turns may take to let go */
  readonly interruptGraceMs: number;
  /** aborted when somebody is impatient: what runs is interrupted at once */
  readonly hurry: AbortSignal;
}

/** What became of the work in progress. */
export interface DrainOutcome {
  /** everything has finished by itself, and was saved */
  readonly clean: boolean;
  /** there was no more time for these */
  readonly interrupted: readonly WorkUnit[];
  /** these were not waited for: nothing happened in them any more */
  readonly wedged: readonly WorkUnit[];
  /** these were cut off and have not let go: they may still write */
  readonly running: readonly WorkUnit[];
}

/**
 * Finishes what runs within its budget, interrupts the rest, closes the ways in and ends what
 * turns left running, which a drain never waits for. Sessions that run are marked before the
 * wait: a kill in the middle of it still leaves the mark. Returns as soon as everything is done
 * (field case D34), and before the shutdown guard has to act.
 */
export async function drain(parts: DrainParts, order: DrainOrder): Promise<DrainOutcome> {
  const { turns, adapters } = parts;
  const beganAtMs = monotonicMs();
  const resumeReason = RESUME_REASONS[order.reason];
  turns.refuse(resumeReason);
  parts.tellDown(order.reason);
  for (const adapter of adapters) adapter.drain();
  const { late, wedged } = await waitInDrain(parts, order);
  const guardAtMs = guardTime(parts, beganAtMs);
  if (late.length + wedged.length > 0) {
    // also what was let in just before the doors were closed
    turns.markRunning(resumeReason);
    turns.interruptAll();
    await settled(turns, ending(parts, order, guardAtMs).interruptMs);
  }
  await closeAll(parts, ending(parts, order, guardAtMs));
  // a turn may have let go meanwhile
  const running = turns.work;
  const clean = late.length + wedged.length + running.length === 0;
  return { clean, interrupted: late, wedged, running };
}

/** Who is impatient has moved the guard too: it never comes later than this after the wait. */
function guardTime({ budgets }: DrainParts, beganAtMs: number): number {
  const waitOverAtMs = Math.min(beganAtMs + budgets.drainLimitMs, monotonicMs());
  return waitOverAtMs + budgets.guardAfterDrainMs;
}

function ending({ timings }: DrainParts, order: DrainOrder, guardAtMs: number): EndingPlan {
  const { interruptGraceMs } = order;
  const { closeGraceMs } = timings;
  return planEnding({ nowMs: monotonicMs(), guardAtMs, interruptGraceMs, closeGraceMs });
}

/** All at once. What does not close in time does not hold us: the end of the process closes it. */
async function closeAll(
  { adapters, processes }: DrainParts,
  { closeMs, abandonMs }: EndingPlan,
): Promise<void> {
  const closing = [...adapters.map((adapter) => adapter.close(closeMs)), processes.close()];
  let timer: NodeJS.Timeout | undefined;
  const abandoned = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, clampTimerMs(abandonMs));
  });
  await Promise.race([Promise.all(closing), abandoned]);
  clearTimeout(timer);
}

function waitInDrain(parts: DrainParts, { budgetMs, hurry }: DrainOrder) {
  const { turns, inactivityMs, log, timings } = parts;
  const budgets = drainBudgets({ budgetMs, jobsFloorMs: parts.budgets.jobsDrainMs });
  const news = { log, everyMs: timings.waitNewsMs };
  return waitForWork(turns, { inactivityMs, budgets, news, hurry });
}

export interface WaitOrder {
  readonly budgets: DrainBudgets;
  /** silence after which work counts as wedged; 0: never */
  readonly inactivityMs: number;
  readonly news: WaitNews;
  /** aborted when nothing is to be waited for any more */
  readonly hurry: AbortSignal;
}

/** Until nothing is left that time could help. */
export async function waitForWork(turns: TurnRunner, order: WaitOrder): Promise<WaitPlan> {
  const { inactivityMs, news, hurry } = order;
  const beganAtMs = monotonicMs();
  let toldAtMs = beganAtMs;
  for (;;) {
    const nowMs = monotonicMs();
    const work = turns.observed;
    const budgets = hurry.aborted ? NO_TIME : order.budgets;
    const plan = planWait({ work, budgets, beganAtMs, nowMs, inactivityMs });
    if (plan.nextAtMs === undefined) return plan;
    const { awaited } = plan;
    const next = planWaitNews({ awaited, beganAtMs, toldAtMs, nowMs, everyMs: news.everyMs });
    if (next.news !== undefined) {
      news.log.info('waiting for what runs', next.news);
      toldAtMs = nowMs;
    }
    await changeWithin(turns, Math.min(plan.nextAtMs, next.nextAtMs) - nowMs, hurry);
  }
}

const NO_TIME: DrainBudgets = { turn: 0, 'api-run': 0, delivery: 0, job: 0 };

/** Until no turn is left, at most so long. */
async function settled(turns: TurnRunner, limitMs: number): Promise<void> {
  const untilMs = monotonicMs() + limitMs;
  for (
    let leftMs = limitMs;
    turns.work.length > 0 && leftMs > 0;
    leftMs = untilMs - monotonicMs()
  ) {
    await changeWithin(turns, leftMs);
  }
}

async function changeWithin(turns: TurnRunner, limitMs: number, hurry?: AbortSignal) {
  const limit = new AbortController();
  // a timer that holds the process: AbortSignal.timeout would let it end in the middle
  const timer = setTimeout(() => limit.abort(), clampTimerMs(Math.ceil(limitMs)));
  const signal = hurry === undefined ? limit.signal : AbortSignal.any([limit.signal, hurry]);
  await turns.changed(signal);
  clearTimeout(timer);
  // on a loop that was late the signs of life are still unread: they are, one round later
  await setImmediate();
}
