import { CAUSES, type Cause } from '../../core/death.js';
import type { ProfileState } from '../../core/lifecycle.js';
import type { PlatformStatus, ProfileStatus } from '../../core/status.js';
import type { Hold } from '../../core/work.js';
import type { Paint } from '../paint.js';
import { readableLine } from './foreign-line.js';
import { formatSpan, formatUntil, plural } from './units.js';

/** Phrases about a profile that the table, `why` and the verbs share. */

export function statePainter(state: ProfileState, paint: Paint): (text: string) => string {
  switch (state) {
    case 'ready':
    case 'served':
      return paint.green;
    case 'starting':
    case 'draining':
    case 'degraded':
      return paint.yellow;
    case 'backoff':
    case 'parked':
      return paint.red;
    case 'stopped':
      return paint.dim;
    default:
      return state satisfies never;
  }
}

/** `5 failure, 1 planned`: the causes that occurred, the most frequent first. */
export function describeCounters(counters: Readonly<Partial<Record<Cause, number>>>): string {
  return CAUSES.map((cause) => ({ cause, count: counters[cause] ?? 0 }))
    .filter(({ cause, count }) => cause !== 'asked' && count > 0)
    .sort((left, right) => right.count - left.count)
    .map(({ cause, count }) => `${count} ${cause}`)
    .join(', ');
}

/** `telegram, slack retrying`: only what is not well says its state. */
export function describePlatforms(platforms: readonly PlatformStatus[]): string {
  return platforms
    .filter((platform) => platform.state !== 'disabled')
    .map((one) => (one.state === 'connected' ? one.name : `${one.name} ${one.state}`))
    .join(', ');
}

/** `a restart was asked for by /restart in local`: why it takes nothing new. */
export function describeHold({ kind, by }: Pick<Hold, 'kind' | 'by'>): string {
  switch (kind) {
    case 'drain-request':
      return `${readableLine(by)} asks for a drain`;
    case 'restart':
      return `a restart was asked for by ${readableLine(by)}`;
    default:
      return kind satisfies never;
  }
}

const NEXT_WORDS = {
  restart: 'restart',
  probe: 'one try',
  'start-deadline': 'start deadline',
  kill: 'kill',
} as const satisfies Record<NonNullable<ProfileStatus['next']>['action'], string>;

/** `restart in 8s`; empty when nothing is planned. */
export function describeNext(profile: ProfileStatus, nowMs: number): string {
  if (profile.next === null) return '';
  return `${NEXT_WORDS[profile.next.action]} ${formatUntil(profile.next.at, nowMs)}`;
}

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  asked: 'asked to',
  planned: 'planned restart',
  config: 'refused by configuration',
  usage: 'bad arguments',
  failure: 'failure',
  bug: 'bug',
  stall: 'its event loop stalled',
  oom: 'out of memory',
  'start-timeout': 'it did not become ready in time',
  lost: 'killed without having been asked to end',
};

/** `code 1 (failure) after 812ms`. */
export function describeExit(exit: NonNullable<ProfileStatus['lastExit']>): string {
  const how = exit.code === null ? (exit.signal ?? 'unknown') : `code ${exit.code}`;
  return `${how} (${CAUSE_WORDS[exit.cause]}) after ${formatSpan(exit.uptimeMs)}`;
}

/** `2 turns, 1 job`; empty when nothing is in progress. */
export function describeWork(profile: ProfileStatus): string {
  const counts = new Map<string, number>();
  for (const unit of profile.work.units) counts.set(unit.kind, (counts.get(unit.kind) ?? 0) + 1);
  if (counts.size === 0 && profile.work.active > 0) return plural(profile.work.active, 'unit');
  return [...counts]
    .map(([kind, count]) =>
      kind === 'delivery' ? plural(count, kind, 'deliveries') : plural(count, kind),
    )
    .join(', ');
}
