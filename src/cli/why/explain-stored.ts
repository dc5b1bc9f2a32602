import type { Cause } from '../../core/death.js';
import { EXIT } from '../../core/exit-codes.js';
import type { EarlierLife } from '../../store/index.js';
import type { EvidenceNote } from '../../watchdog/newest-evidence.js';
import type { LiveGateway } from '../live-gateways.js';
import { readableLine } from '../render/foreign-line.js';
import { leftSentence } from '../render/left-sentence.js';
import { describeCounters } from '../render/profile-words.js';
import { formatSpan } from '../render/units.js';
import type { UnitSight } from '../units/sights.js';
import type { LastEnd, StoredWhyFacts, Why } from './facts.js';
import { endSentence, fromDeath, repetitionSentence } from './last-end.js';
import { CURES } from './todo.js';

/** Why a profile is in its state while no supervisor says so: what is on disk, and who lives. */
export function explainStored(facts: StoredWhyFacts): Why {
  const { desired, note, nowMs } = facts;
  const newest = newestEnd(facts);
  const counted = describeCounters(facts.counters);
  const told = newest.kind === 'seen' ? newest.end.evidence : undefined;
  const sentences = [
    firstSentence(facts),
    liveSentence(facts.live),
    desired === undefined ? '' : `It was wanted ${desired}.`,
    newestSentence(newest, facts),
    note === undefined || note.path === told ? '' : noteSentence(note, nowMs),
    leftSentence(facts.left),
    counted === '' ? '' : `Restarts so far: ${counted}.`,
    nextSentence(facts),
  ];
  return {
    paragraph: sentences.filter((sentence) => sentence !== '').join(' '),
    lastLines: desired === 'stopped' || facts.live !== undefined ? [] : facts.lastLines,
    evidence: note?.path ?? told,
    todo: todoStored(facts, newest),
  };
}

/** A gateway with a unit of its own needs no supervisor. */
function firstSentence({ name, supervisor, unit }: StoredWhyFacts): string {
  if (unit === undefined) return `${name} is not supervised: ${supervisor}.`;
  const told = `${unit.name} (${unit.manager}), which is ${unit.words}`;
  const refusal =
    unit.exitCode === EXIT.config ? ' Its configuration is refused: no retry can help.' : '';
  return unit.profile === name
    ? `${name} is run by ${told}.${refusal}`
    : `${name} is not supervised: ${supervisor}. That is run by ${told}.${refusal}`;
}

/** What is known of the newest run that is over. */
type NewestEnd =
  | { readonly kind: 'seen'; readonly end: LastEnd }
  /** its own record ends in the middle; also of a run that no supervisor started */
  | { readonly kind: 'vanished'; readonly life: UncleanLife }
  /** it went down together with its supervisor, and left no word */
  | { readonly kind: 'unknown'; readonly generation: number }
  | { readonly kind: 'none' };

type UncleanLife = Extract<EarlierLife, { kind: 'unclean' }>;

function newestEnd({ deaths, lastGeneration = 0, life }: StoredWhyFacts): NewestEnd {
  const death = deaths.at(-1);
  // a death on record is of this life unless the life began after it
  if (life.kind === 'unclean' && life.startedAt > (death?.at ?? 0))
    return { kind: 'vanished', life };
  if (lastGeneration > (death?.generation ?? 0)) {
    return { kind: 'unknown', generation: lastGeneration };
  }
  return death === undefined ? { kind: 'none' } : { kind: 'seen', end: fromDeath(death) };
}

function newestSentence(newest: NewestEnd, facts: StoredWhyFacts): string {
  switch (newest.kind) {
    case 'seen':
      return [endSentence(newest.end, facts.nowMs), repetitionSentence(facts.deaths)]
        .filter((sentence) => sentence !== '')
        .join(' ');
    case 'vanished':
      return `Its last run ended without a word: ${newest.life.detail}.`;
    case 'unknown':
      return unseenSentence(newest.generation, facts);
    case 'none':
      return facts.live === undefined ? 'No death of it is on record.' : '';
    default:
      return newest satisfies never;
  }
}

function unseenSentence(generation: number, { live, supervisor }: StoredWhyFacts): string {
  const lived = `Its last run, generation ${generation}, was alive when the supervisor was last seen`;
  const isOver = supervisor === 'no supervisor runs' && live === undefined;
  return isOver ? `${lived}: how it ended is not known.` : `${lived}.`;
}

function liveSentence(live: LiveGateway | undefined): string {
  if (live === undefined) return '';
  const whose = live.servedBy === null ? 'A gateway' : `The gateway of ${live.servedBy}`;
  switch (live.phase) {
    case 'starting':
      return `${whose} is about to serve it (pid ${live.pid}).`;
    case 'serving':
      return `${whose} serves it (pid ${live.pid}).`;
    case 'draining':
      return `${whose} serves it and is about to end (pid ${live.pid}).`;
    default:
      return live.phase satisfies never;
  }
}

function noteSentence({ kind, atMs, pid, where }: EvidenceNote, nowMs: number): string {
  const ago = formatSpan(Math.max(0, nowMs - atMs));
  return `Its newest evidence (${kind}) is ${ago} old: pid ${pid} was ${readableLine(where)}.`;
}

function nextSentence({ desired, live, name, unit }: StoredWhyFacts): string {
  if (live !== undefined) return '';
  if (unit !== undefined && unit.profile === name) {
    return unit.state === 'starting'
      ? 'Its manager starts it by itself.'
      : 'Nothing happens until somebody starts it.';
  }
  return desired === 'stopped'
    ? 'It stays stopped also when a supervisor starts.'
    : 'It will be started when a supervisor starts.';
}

function todoStored(facts: StoredWhyFacts, newest: NewestEnd): string {
  const { desired, live, name, note } = facts;
  if (live !== undefined) {
    return note?.pid === live.pid
      ? 'if it does not answer, look at the stacks in the evidence: something blocks its event loop'
      : 'nothing';
  }
  const cause = causeOfEnd(newest, note);
  const cure = cause === undefined || desired === 'stopped' ? 'nothing' : CURES[cause](name);
  if (facts.unit !== undefined) return todoWithUnit(facts.unit, cure, facts.start);
  return `${cure === 'nothing' ? '' : `${cure}; `}${facts.start.replace('start one', 'start a supervisor')}`;
}

/** The manager's own word is newer than what is on record. */
function todoWithUnit({ exitCode, look }: UnitSight, cure: string, start: string): string {
  const known = exitCode === EXIT.config ? CURES.config('') : cure;
  return `${known === 'nothing' ? '' : `${known}; `}more: ${look}; ${start}`;
}

/** Nothing but evidence makes more of an end that nobody saw than `lost`. */
function causeOfEnd(newest: NewestEnd, note: EvidenceNote | undefined): Cause | undefined {
  switch (newest.kind) {
    case 'seen':
      return newest.end.cause;
    case 'vanished': {
      if (note?.pid !== newest.life.pid || !note.fatal) return 'lost';
      return note.kind === 'stall' || note.kind === 'start-timeout' ? note.kind : 'lost';
    }
    case 'unknown':
    case 'none':
      return undefined;
    default:
      return newest satisfies never;
  }
}
