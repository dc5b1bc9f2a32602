import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/errors.js';
import type { Owner } from '../core/owner.js';
import type { ProcessIdentity } from '../core/process-identity.js';
import { isAlive, readStat } from '../store/process-table.js';
import { clearTakeover, writeTakeover } from './takeover-marker.js';

/**
 * How long a replaced owner may take after SIGTERM, unless its own budget is known (field case
 * D14); then after SIGKILL (supervision.md 4.7).
 */
export const TERM_WAIT_MS = 10_000;
export const KILL_WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

export interface EndOptions {
  /** where the owner finds who ends it, and that this is no stop by an operator */
  readonly markerPath: string;
  readonly by: Owner;
  /** a drain that is still within its own budget is no reason to kill */
  readonly termWaitMs: number;
  /** one that is stopped drains nothing, however long its budget is; default: TERM_WAIT_MS */
  readonly stoppedWaitMs?: number;
  /** aborted: who takes over is not wanted any more */
  readonly signal?: AbortSignal;
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

/**
 * Ends the owner of a lock, and only that very process: its start time is looked at before each
 * signal. What it held, locks of identities too, its death frees. The marker is gone afterwards,
 * whatever happened.
 * @returns whether it is gone
 * @throws the reason of `signal`
 */
export async function endOwner(target: Owner, options: EndOptions): Promise<boolean> {
  writeTakeover(options.markerPath, { target, by: options.by });
  try {
    return await signalInTurn(target, options);
  } finally {
    clearTakeover(options.markerPath);
  }
}

async function signalInTurn({ identity }: Owner, options: EndOptions): Promise<boolean> {
  for (const [signal, waitMs] of [
    ['SIGTERM', options.termWaitMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (!isAlive(identity)) return true;
    options.onSignal?.(signal);
    if (!sendSignal(identity.pid, signal)) return false;
    await untilGone(identity, waitMs, options);
  }
  return !isAlive(identity);
}

/** Returns early when it has been stopped for so long that it will not use its time. */
async function untilGone(
  identity: ProcessIdentity,
  waitMs: number,
  { signal, stoppedWaitMs = TERM_WAIT_MS }: EndOptions,
): Promise<void> {
  const begunAt = performance.now();
  let movedAt = begunAt;
  while (isAlive(identity)) {
    const now = performance.now();
    if (readStat(identity.pid)?.stopped !== true) movedAt = now;
    if (now - begunAt >= waitMs || now - movedAt >= stoppedWaitMs) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** false: it belongs to somebody whose processes we may not signal. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (thrown) {
    // it has gone between the look and the signal
    if (errnoOf(thrown) === 'ESRCH') return true;
    if (errnoOf(thrown) === 'EPERM') return false;
    throw thrown;
  }
}
