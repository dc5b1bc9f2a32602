import type { ProfileStatus } from '../../core/status.js';
import type { Hold } from '../../core/work.js';
import { formatUntil } from '../render/units.js';

/** What happens next if nobody does anything. */
export function nextSentence(profile: ProfileStatus, nowMs: number): string {
  const { held, next, parked, state } = profile;
  if (held) return heldNext(held, nowMs);
  if (parked !== null && state === 'parked') return parkedNext(parked.retriesOn, next, nowMs);
  const action = next?.action;
  const at = next === null ? '' : formatUntil(next.at, nowMs);
  switch (action) {
    case 'restart':
      return `It will be started again ${at} by itself.`;
    case 'probe':
      return `It gets one try ${at}.`;
    case 'start-deadline':
      return `Unless it is ready before, it will be killed ${at} and started again.`;
    case 'kill':
      return `What has not ended by then will be killed ${at}.`;
    case undefined:
      return quietNext(profile);
    default:
      return action satisfies never;
  }
}

function heldNext(held: Hold, nowMs: number): string {
  if (held.kind === 'restart') {
    return `Then it will be restarted, ${formatUntil(new Date(held.latestAt).toISOString(), nowMs)} at the latest.`;
  }
  return 'It takes new messages again once that file is removed, or an hour after it was last written.';
}

function parkedNext(
  retriesOn: NonNullable<ProfileStatus['parked']>['retriesOn'],
  next: ProfileStatus['next'],
  nowMs: number,
): string {
  switch (retriesOn) {
    case 'config-change':
      return 'It will be tried again once when its configuration, its secrets or its program change.';
    case 'operator':
      return 'Nothing will happen until an operator starts it.';
    case 'probe':
      return next === null
        ? 'It gets one try from time to time.'
        : `It gets one try ${formatUntil(next.at, nowMs)}.`;
    default:
      return retriesOn satisfies never;
  }
}

function quietNext({ desired, state }: ProfileStatus): string {
  switch (state) {
    case 'draining':
      return desired === 'stopped' ? 'Then it stays down.' : 'Then it will be started again.';
    case 'stopped':
      return 'Nothing will happen until somebody starts it.';
    case 'ready':
    case 'served':
      return '';
    case 'starting':
    case 'degraded':
    case 'backoff':
    case 'parked':
      return 'Nothing is planned.';
    default:
      return state satisfies never;
  }
}
