import { formatDuration } from '../../core/durations.js';
import { GatewardenError } from '../../core/errors.js';
import type { TurnOutcome } from './inbound.js';

type Refusal = Extract<TurnOutcome, { kind: 'refused' }>;

/** When a client that was refused by a drain or a full lane does well to come back. */
export const RETRY_AFTER_MS = 1000;

export function refuseDraining(profile: string): Refusal {
  const details = { profile, wait: formatDuration(RETRY_AFTER_MS) };
  return {
    kind: 'refused',
    error: new GatewardenError('gateway-draining', details),
    retryAfterMs: RETRY_AFTER_MS,
  };
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
