import type { ProfileStatus } from '../../core/status.js';
import type { Hold } from '../../core/work.js';
import { readableLine } from '../render/foreign-line.js';
import { describeHold, describeWork } from '../render/profile-words.js';
import { formatAge } from '../render/units.js';

/** What state it is in and since when; one sentence without the reason. */
export function stateSentence(profile: ProfileStatus, nowMs: number): string {
  const { name, state } = profile;
  const age = formatAge(profile.since, nowMs);
  const run = `generation ${profile.generation}${profile.pid === null ? '' : `, pid ${profile.pid}`}`;
  switch (state) {
    case 'ready':
      return `${name} is ready and has been for ${age} (${run}).`;
    case 'starting':
      return `${name} has been starting for ${age} (${run})${phaseOf(profile)}.`;
    case 'degraded':
      return `${name} runs but has been degraded for ${age} (${run})${noticeOf(profile)}.`;
    case 'draining':
      if (profile.held) return heldSentence(profile, profile.held, `${age} (${run})`);
      return `${name} has been draining for ${age} (${run})${workOf(profile)}.`;
    case 'backoff':
      return `${name} is down and waits to be started again; it has waited for ${age}.`;
    case 'parked':
      return `${name} is down and has been parked for ${age} (${profile.parked?.reason ?? 'unknown'})${parkDetail(profile)}.`;
    case 'stopped':
      return profile.desired === 'stopped'
        ? `${name} is stopped and has been for ${age}, because an operator asked for it.`
        : `${name} is stopped and has been for ${age}, although it is wanted to run.`;
    case 'served':
      return `${name} is served by the gateway of ${profile.served ?? 'another profile'} and has been for ${age}.`;
    default:
      return state satisfies never;
  }
}

function heldSentence(profile: ProfileStatus, held: Hold, since: string): string {
  const head = `${profile.name} has been draining for ${since}: it takes nothing new, because`;
  const work = describeWork(profile);
  if (held.kind === 'drain-request') {
    const rest = work === '' ? 'nothing is in progress' : `it finishes ${work}`;
    const odd = (held.complaints ?? [])
      .map((one) => ` Of that file: ${readableLine(one)}.`)
      .join('');
    return `${head} ${describeHold(held)} in a file; ${rest}, and it stays.${odd}`;
  }
  const waits = work === '' ? 'the answer to whoever asked' : work;
  return `${head} ${describeHold(held)}, which waits for ${waits}.`;
}

function phaseOf({ phase }: ProfileStatus): string {
  return phase === null ? '' : `; it says: ${phase}`;
}

function noticeOf({ notices }: ProfileStatus): string {
  return notices.length === 0
    ? ''
    : `: ${notices.map((notice) => notice.replace(/^degraded: /, '')).join('; ')}`;
}

function workOf(profile: ProfileStatus): string {
  const work = describeWork(profile);
  return work === '' ? '' : `; it finishes ${work}`;
}

function parkDetail({ parked }: ProfileStatus): string {
  return parked === null ? '' : `: ${readableLine(parked.detail).replace(/\.$/, '')}`;
}
