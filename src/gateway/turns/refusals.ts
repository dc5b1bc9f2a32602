import { formatDuration } from '../../core/durations.js';
import { GatewardenError } from '../../core/errors.js';
import { monotonicMs } from '../../core/monotonic.js';
import type { ResumeReason } from '../sessions/records.js';
import type { TurnOutcome } from './inbound.js';

type Refusal = Extract<TurnOutcome, { kind: 'refused' }>;

/** When a client that was refused by a drain or a full lane does well to come back, at the soonest. */
export const RETRY_AFTER_MS = 1000;

/** Nobody is sent away for longer: what it waits for may be over at any moment. */
const LONGEST_RETRY_MS = 60_000;

const STEP_MS = 1000;

/** Why nothing new is taken. */
export interface Refusing {
  readonly why: string;
  /** monotonic */
  readonly sinceMs: number;
}

const REFUSED_FOR: Readonly<Record<ResumeReason, string>> = Object.freeze({
  restart_timeout: 'it is about to be restarted, once what runs has finished',
  shutdown_timeout: 'it is stopping',
  restart_interrupted: 'it is about to end',
});

export function refusingFor(reason: ResumeReason): Refusing {
  return refusingBecause(REFUSED_FOR[reason]);
}

export function refusingBecause(why: string): Refusing {
  return { why, sinceMs: monotonicMs() };
}

/** Nobody knows when it ends: who is refused waits for as long as it has lasted, within bounds. */
export function refuseDraining(profile: string, { why, sinceMs }: Refusing): Refusal {
  const lastedMs = Math.ceil((monotonicMs() - sinceMs) / STEP_MS) * STEP_MS;
  const retryAfterMs = Math.min(Math.max(RETRY_AFTER_MS, lastedMs), LONGEST_RETRY_MS);
  const details = { profile, why, wait: formatDuration(retryAfterMs) };
  return { kind: 'refused', error: new GatewardenError('gateway-draining', details), retryAfterMs };
}

export function refuseFull(max: number): Refusal {
  return {
    kind: 'refused',
    error: new GatewardenError('queue-full', { max: String(max) }),
    retryAfterMs: RETRY_AFTER_MS,
  };
}

export function refuseRepeated(id: string): Refusal {
  return {
    kind: 'refused',
    error: new GatewardenError('message-repeated', { id }),
    retryAfterMs: undefined,
  };
}

/** Somebody said stop, or began anew, while it waited. */
export function refuseDismissed(): Refusal {
  return {
    kind: 'refused',
    error: new GatewardenError('turn-interrupted', {
      reason: 'the conversation was stopped before it began',
      hint: 'send it again',
    }),
    retryAfterMs: undefined,
  };
}

/** The session it was for is over, or the agent has looked by itself. */
export function refuseUnwanted(): Refusal {
  return {
    kind: 'refused',
    error: new GatewardenError('turn-interrupted', { reason: 'it is no news any more', hint: '' }),
    retryAfterMs: undefined,
  };
}

/** Its caller is gone: nobody reads this, but every message gets its answer. */
export function refuseAbandoned(): Refusal {
  return {
    kind: 'refused',
    error: new GatewardenError('turn-interrupted', {
      reason: 'its caller left before it began',
      hint: '',
    }),
    retryAfterMs: undefined,
  };
}
