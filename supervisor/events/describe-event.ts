import { describeOutcome } from '../../src/core/death.js';
import { formatDuration } from '../../src/core/durations.js';
import { profileOf, type SupervisorEvent } from '../../src/core/events.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  /** constant per kind of event; what varies is in the fields */
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How an event reads in the supervisor's own log. */
export function describeEvent(event: SupervisorEvent): LogLine {
  const profile = profileOf(event);
  const { level, message, fields } = describe(event);
  return {
    level,
    message,
    fields: { event: event.code, ...(profile === undefined ? {} : { profile }), ...fields },
  };
}

function line(level: LogLevel, message: string, fields: LogLine['fields'] = {}): LogLine {
  return { level, message, fields };
}

function describe(event: SupervisorEvent): LogLine {
  switch (event.code) {
    case 'supervisor-started':
      return line('info', 'supervisor started', { version: event.version });
    case 'supervisor-draining':
      return line('info', 'supervisor is stopping', { reason: event.reason });
    case 'supervisor-stopped':
      return line('info', 'supervisor stopped');
    case 'state':
      return line('debug', 'state changed', {
        from: event.from,
        to: event.to,
        because: event.because,
      });
    case 'spawned':
      return line('info', 'started', { generation: event.generation, gatewayPid: event.pid });
    case 'phase':
      return line('debug', 'starting', { phase: event.phase });
    case 'ready':
      return line('info', 'ready', {
        generation: event.generation,
        took: formatDuration(event.tookMs),
      });
    case 'died':
      return describeDeath(event);
    case 'restart-in':
      return line('info', 'restarting after a pause', { pause: formatDuration(event.delayMs) });
    case 'parked':
      return line('error', 'parked', {
        reason: event.reason,
        detail: event.detail,
        remedy: event.remedy,
      });
    case 'unparked':
      return line('info', 'no longer parked', { because: event.because });
    case 'storm':
      return line('error', 'keeps dying', {
        deaths: event.deaths,
        within: formatDuration(event.windowMs),
      });
    case 'verb':
      return line('info', 'asked', { verb: event.verb, by: event.by });
    case 'moved':
      return line('info', 'moved', { to: event.to });
    case 'move-failed':
      return line('error', 'could not be moved', { to: event.to, detail: event.detail });
    case 'degraded':
      return line('warn', 'degraded', { detail: event.detail });
    case 'recovered':
      return line('info', 'recovered');
    case 'held':
      return line('info', 'takes nothing new', { kind: event.kind, by: event.by });
    case 'released':
      return line('info', 'takes new messages again');
    case 'evidence':
      return line('warn', 'evidence was kept', {
        kind: event.kind,
        where: event.where,
        lateMs: event.lateMs,
        path: event.path,
        ...(event.unwritten === undefined ? {} : { unwritten: event.unwritten }),
      });
    case 'reloaded':
      return line('info', 'configuration read again', {
        added: event.added,
        removed: event.removed,
        changed: event.changed,
      });
    case 'reload-refused':
      return line('error', 'new configuration refused, the last good one stays', {
        problems: event.problems,
      });
    case 'manager-unheard':
      return line('warn', 'the service manager cannot be told', { detail: event.detail });
    case 'unclean-exit':
      return line('warn', 'an earlier process ended without a word', { detail: event.detail });
    case 'store-failing':
      return line('error', 'history is not being written', { detail: event.detail });
    case 'store-recovered':
      return line('info', 'history is written again', { written: event.written });
    case 'log-dropped':
      return line('warn', 'log lines dropped', { lines: event.lines });
    case 'leftovers-ended':
      return line('warn', 'ended processes that were left behind', { pids: event.pids });
    case 'survivors':
      return line('error', 'nothing could end these processes', { pids: event.pids });
    case 'processes-high':
      return line('warn', 'unusually many processes', {
        ...(event.turn === undefined ? {} : { turn: event.turn }),
        processes: event.processes,
        threshold: event.threshold,
      });
    default:
      return event satisfies never;
  }
}

function describeDeath(event: Extract<SupervisorEvent, { code: 'died' }>): LogLine {
  const { death } = event;
  const quiet = death.cause === 'asked' || death.cause === 'planned';
  return line(quiet ? 'info' : 'warn', 'ended', {
    generation: death.generation,
    outcome: describeOutcome(death.outcome),
    cause: death.cause,
    uptime: formatDuration(death.uptimeMs),
    ...(death.detail === undefined ? {} : { detail: death.detail }),
  });
}
