import { clampTimerMs } from '../core/durations.js';
import { EXIT } from '../core/exit-codes.js';
import type { DrainReason } from '../core/ipc.js';
import type { PlatformAdapter } from './platforms/port.js';
import type { GatewayProcesses } from './processes/open-processes.js';
import type { ResumeReason } from './sessions/records.js';
import type { GatewayTimings } from './timings.js';
import type { TurnRunner } from './turns/runner.js';

interface DrainPolicy {
  readonly exitCode: number;
  /** what sessions that do not finish are marked with */
  readonly resumeReason: ResumeReason;
}

export const DRAIN_POLICY: Readonly<Record<DrainReason, DrainPolicy>> = Object.freeze({
  stop: { exitCode: EXIT.done, resumeReason: 'shutdown_timeout' },
  restart: { exitCode: EXIT.planned, resumeReason: 'restart_timeout' },
  // nobody will look at the code; the next supervisor starts us afresh
  'supervisor-lost': { exitCode: EXIT.done, resumeReason: 'shutdown_timeout' },
});

export interface DrainParts {
  readonly turns: TurnRunner;
  readonly adapters: readonly PlatformAdapter[];
  readonly processes: Pick<GatewayProcesses, 'close'>;
  readonly timings: GatewayTimings;
}

export interface DrainOrder {
  readonly reason: DrainReason;
  readonly budgetMs: number;
  /** aborted when somebody is impatient: what runs is interrupted at once */
  readonly hurry: AbortSignal;
}

/**
 * Finishes what runs within the budget, interrupts the rest, closes the ways in and ends what
 * turns left running, which a drain never waits for. Sessions that run are marked before the wait: a kill in the middle of it still leaves the mark. Returns as
 * soon as everything is done (field case D34).
 */
export async function drain(parts: DrainParts, order: DrainOrder): Promise<void> {
  const { turns, adapters, processes, timings } = parts;
  turns.refuse(DRAIN_POLICY[order.reason].resumeReason);
  for (const adapter of adapters) adapter.drain();
  if (!(await isIdleWithin(turns, order.budgetMs, order.hurry))) {
    turns.interruptAll();
    await isIdleWithin(turns, timings.interruptGraceMs);
  }
  const closing = adapters.map((adapter) => adapter.close(timings.closeGraceMs));
  await Promise.all([...closing, processes.close()]);
}

async function isIdleWithin(
  turns: TurnRunner,
  limitMs: number,
  hurry?: AbortSignal,
): Promise<boolean> {
  const limit = new AbortController();
  // a timer that holds the process: AbortSignal.timeout would let it end in the middle
  const timer = setTimeout(() => limit.abort(), clampTimerMs(limitMs));
  const give = hurry === undefined ? limit.signal : AbortSignal.any([limit.signal, hurry]);
  try {
    await turns.idle(give);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
