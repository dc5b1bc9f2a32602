import { describeOutcome } from '../../core/death.js';
import { profileOf, type SupervisorEvent } from '../../core/events.js';
import type { Paint } from '../paint.js';
import { readableLine } from './foreign-line.js';
import { printable } from './printable.js';
import { describeHold } from './profile-words.js';
import { formatClock, formatSpan, plural } from './units.js';

export interface EventLine {
  readonly cursor: number;
  /** epoch milliseconds */
  readonly atMs: number;
  readonly event: SupervisorEvent;
}

/** `14:03:07  coder  died: code 1 (failure) after 812ms: KeyError` */
export function renderEvent({ event, atMs }: EventLine, nowMs: number, paint: Paint): string {
  const who = profileOf(event) ?? 'supervisor';
  const text = paintEvent(event, paint)(printable(describeEvent(event)));
  return `${paint.dim(formatClock(atMs, nowMs))}  ${paint.bold(who)}  ${text}`;
}

/** One event in words, without its time and profile. */
export function describeEvent(event: SupervisorEvent): string {
  switch (event.code) {
    case 'supervisor-started':
      return `started (pid ${event.pid}, version ${event.version})`;
    case 'supervisor-draining':
      return `stops everything: ${event.reason}`;
    case 'supervisor-stopped':
      return 'stopped';
    case 'state':
      return `${event.from} -> ${event.to} (${event.because})`;
    case 'spawned':
      return `generation ${event.generation} spawned (pid ${event.pid})`;
    case 'phase':
      return `starting: ${event.phase}`;
    case 'ready':
      return `ready after ${formatSpan(event.tookMs)} (generation ${event.generation})`;
    case 'died':
      return describeDeath(event.death);
    case 'restart-in':
      return `will be started again in ${formatSpan(event.delayMs)}`;
    case 'parked':
      return `parked (${event.reason}): ${event.detail}; remedy: ${event.remedy}`;
    case 'unparked':
      return `no longer parked (${event.because})`;
    case 'storm':
      return `alarm: ${plural(event.deaths, 'death')} within ${formatSpan(event.windowMs)}`;
    case 'verb':
      return `${event.verb} asked for by ${event.by}`;
    case 'moved':
      return event.to === 'served'
        ? 'is served by default from now on'
        : 'has a process of its own';
    case 'move-failed':
      return `could not be moved (${event.to}), is started where it was: ${event.detail}`;
    case 'degraded':
      return `degraded: ${event.detail}`;
    case 'recovered':
      return 'recovered';
    case 'held':
      return `draining: ${describeHold(event)}`;
    case 'released':
      return 'takes new messages again';
    default:
      return describeHostEvent(event);
  }
}

type HostEvent = Extract<
  SupervisorEvent,
  {
    readonly code:
      | 'reloaded'
      | 'reload-refused'
      | 'manager-unheard'
      | 'unclean-exit'
      | 'store-failing'
      | 'store-recovered'
      | 'log-dropped'
      | 'leftovers-ended'
      | 'survivors'
      | 'evidence'
      | 'processes-high';
  }
>;

function describeHostEvent(event: HostEvent): string {
  switch (event.code) {
    case 'reloaded':
      return `configuration read again: ${describeReload(event)}`;
    case 'reload-refused':
      return `the new configuration is bad, the last good one stays: ${event.problems}`;
    case 'manager-unheard':
      return event.detail;
    case 'unclean-exit':
      return `an earlier process ended without a word: ${event.detail}`;
    case 'store-failing':
      return `history is not being written: ${event.detail}`;
    case 'store-recovered':
      return `history is written again (${plural(event.written, 'row')} caught up)`;
    case 'log-dropped':
      return `${plural(event.lines, 'log line')} dropped: it writes too fast`;
    case 'leftovers-ended':
      return `ended what an earlier run left: pid ${event.pids.join(', ')}`;
    case 'evidence':
      return `evidence (${event.kind}): ${event.where}${describeFile(event)}`;
    case 'survivors':
      return `nothing could end pid ${event.pids.join(', ')}; it is tried again`;
    case 'processes-high':
      return `alarm: ${plural(event.processes, 'process', 'processes')}${event.turn === undefined ? '' : ` of ${event.turn}`}, more than ${event.threshold}`;
    default:
      return event satisfies never;
  }
}

function describeFile(event: Extract<HostEvent, { readonly code: 'evidence' }>): string {
  if (event.unwritten !== undefined) return `; its file could not be written: ${event.unwritten}`;
  return event.path === undefined ? '' : `; ${event.path}`;
}

function describeDeath(
  death: Extract<SupervisorEvent, { readonly code: 'died' }>['death'],
): string {
  const detail =
    death.detail === undefined || death.detail === null ? '' : `: ${readableLine(death.detail)}`;
  return `died: ${describeOutcome(death.outcome)} (${death.cause}) after ${formatSpan(death.uptimeMs)}${detail}`;
}

function describeReload(event: Extract<SupervisorEvent, { readonly code: 'reloaded' }>): string {
  const parts = (['added', 'removed', 'changed'] as const)
    .filter((what) => event[what].length > 0)
    .map((what) => `${what} ${event[what].join(', ')}`);
  const moves = (['own', 'served'] as const).flatMap((to) => {
    const names = (event.moves ?? []).flatMap((move) => (move.to === to ? [move.profile] : []));
    return names.length === 0 ? [] : [`${MOVE_WORDS[to]} ${names.join(', ')}`];
  });
  return [...parts, ...moves].join('; ') || 'nothing changed';
}

const MOVE_WORDS = {
  own: 'to run in a process of its own:',
  served: 'to be served by the gateway of default:',
} as const;

function paintEvent(event: SupervisorEvent, paint: Paint): (text: string) => string {
  switch (event.code) {
    case 'died':
      return event.death.cause === 'asked' || event.death.cause === 'planned'
        ? paint.dim
        : paint.red;
    case 'parked':
    case 'storm':
    case 'reload-refused':
    case 'store-failing':
      return paint.red;
    case 'ready':
    case 'recovered':
      return paint.green;
    case 'degraded':
    case 'restart-in':
    case 'log-dropped':
    case 'manager-unheard':
    case 'unclean-exit':
      return paint.yellow;
    default:
      return (text) => text;
  }
}
