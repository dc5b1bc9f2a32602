import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/errors.js';
import type { Owner } from '../core/owner.js';
import { isAlive } from '../store/process-table.js';
import { writeTakeover } from './takeover-marker.js';

/**
 * How long a replaced owner may take after SIGTERM, unless its own budget is known (field case
 * D14); then after SIGKILL (supervision.md 4.7).
 */
export const TERM_WAIT_MS = 10_000;
const KILL_WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

export interface EndOptions {
  /** where the owner finds who ends it, and that this is no stop by an operator */
  readonly markerPath: string;
  readonly by: Owner;
  /** a drain that is still within its own budget is no reason to kill */
  readonly termWaitMs: number;
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

/**
 * Ends the owner of a lock, and only that very process: its start time is looked at before each
 * signal. What it held, locks of identities too, its death frees.
 * @returns whether it is gone
 */
export async function endOwner(target: Owner, options: EndOptions): Promise<boolean> {
  const { identity } = target;
  writeTakeover(options.markerPath, { target, by: options.by });
  for (const [signal, waitMs] of [
    ['SIGTERM', options.termWaitMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (!isAlive(identity)) return true;
    options.onSignal?.(signal);
    if (!sendSignal(identity.pid, signal)) return false;
    const deadline = performance.now() + waitMs;
    while (isAlive(identity) && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
  }
  return !isAlive(identity);
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
