import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayAssignment } from '../core/assignment.js';
import { GatewardenError } from '../core/errors.js';
import { acquireLock, type HeldLock, type LockOutcome } from '../store/lock.js';
import { identityOf } from '../store/process-table.js';

export interface ClaimOptions {
  /** how long the gateway before us may take to let go */
  readonly waitMs: number;
  /** told once, when there is somebody to wait for */
  readonly onWait: (pid: string) => void;
  readonly signal: AbortSignal;
}

/** Between two tries; chance keeps two that wait from trying in step. */
const POLL_MS = 250;
const POLL_JITTER_MS = 100;

/** Faults of the disk that may pass; all others need an operator. */
const PASSING_ERRNOS: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
]);

/**
 * Makes this process the profile's only gateway, before anything of it is opened.
 * @throws GatewardenError gateway-already-running, home-unusable, io-failed
 */
export async function claimProfile(
  assignment: GatewayAssignment,
  { waitMs, onWait, signal }: ClaimOptions,
): Promise<HeldLock> {
  const { profile, home, stateDir } = assignment;
  const path = join(stateDir, 'gateway.lock');
  const identity = identityOf(process.pid) ?? {
    pid: process.pid,
    startTicks: undefined,
    bootId: undefined,
  };
  const owner = { identity, home, profile, startedAt: Date.now() };
  const deadline = performance.now() + waitMs;
  let hasTold = false;
  for (;;) {
    const outcome = acquireLock(path, owner);
    if (outcome.kind === 'held') return outcome.lock;
    if (outcome.kind === 'unusable') throw unusable(path, outcome);
    const pid = ownerPid(outcome);
    if (performance.now() >= deadline) {
      throw new GatewardenError('gateway-already-running', { profile, pid, path });
    }
    if (!hasTold) onWait(pid);
    hasTold = true;
    await delay(POLL_MS + Math.random() * POLL_JITTER_MS, undefined, { signal });
  }
}

type Taken = Extract<LockOutcome, { kind: 'taken' }>;
type Unusable = Extract<LockOutcome, { kind: 'unusable' }>;

function ownerPid({ owner }: Taken): string {
  return owner === undefined ? 'unknown' : String(owner.identity.pid);
}

function unusable(path: string, { errno, text }: Unusable): GatewardenError {
  if (PASSING_ERRNOS.has(errno)) {
    const hint = 'free space on its disk, or look at its health';
    return new GatewardenError('io-failed', { what: `cannot lock ${path}`, reason: text, hint });
  }
  const hint = `make ${path} a file that this user can read and write`;
  return new GatewardenError('home-unusable', { path, reason: `${errno}: ${text}`, hint });
}
