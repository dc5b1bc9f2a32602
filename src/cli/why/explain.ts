import type { ProfileState } from '../../core/lifecycle.js';
import { readableLine } from '../render/foreign-line.js';
import { leftSentence } from '../render/left-sentence.js';
import { describeCounters } from '../render/profile-words.js';
import type { StoredWhyFacts, Why, WhyFacts } from './facts.js';
import { endSentence, fromDeath, lastEndOf, repetitionSentence } from './last-end.js';
import { nextSentence } from './next-sentence.js';
import { stateSentence } from './state-sentence.js';
import { CURES, todoFor } from './todo.js';

/** States in which the last lines of an earlier run explain nothing. */
const WELL: ReadonlySet<ProfileState> = new Set(['ready', 'served']);

/** Why a profile is in its state, from what the supervisor says. */
export function explain({ profile, deaths, nowMs }: WhyFacts): Why {
  const end = lastEndOf(profile.lastExit, deaths);
  // a parked profile's reason is its last end already told
  const isTold =
    profile.parked !== null && readableLine(profile.parked.detail) === (end?.detail ?? '');
  const counted = describeCounters(profile.restarts);
  const sentences = [
    stateSentence(profile, nowMs),
    end === undefined ? '' : endSentence(isTold ? { ...end, detail: undefined } : end, nowMs),
    repetitionSentence(deaths),
    counted === '' ? '' : `Restarts so far: ${counted}.`,
    noticeSentence(profile),
    profile.storm ? 'Alarm: it has died many times within a short while.' : '',
    nextSentence(profile, nowMs),
  ];
  return {
    paragraph: sentences.filter((sentence) => sentence !== '').join(' '),
    lastLines: WELL.has(profile.state) ? [] : profile.lastLines,
    // the successor is ready within a second: that is no reason to hide why there is one
    evidence: end?.evidence,
    todo: todoFor(profile, end?.cause),
  };
}

/** A degraded profile's notices are in its first sentence already. */
function noticeSentence({ held, notices, state }: WhyFacts['profile']): string {
  if (notices.length === 0 || state === 'degraded' || held) return '';
  return `Notice: ${notices.map((notice) => readableLine(notice)).join('; ')}.`;
}

/** The same without a supervisor: nothing runs that could change the state. */
export function explainStored(facts: StoredWhyFacts): Why {
  const { name, deaths, desired, nowMs } = facts;
  const death = deaths.at(-1);
  // what went down together with its supervisor has no death on record
  const isUnseen = (facts.lastGeneration ?? 0) > (death?.generation ?? 0);
  const end = death === undefined || isUnseen ? undefined : fromDeath(death);
  const counted = describeCounters(facts.counters);
  const sentences = [
    `${name} is not supervised: ${facts.supervisor}.`,
    desired === undefined ? '' : `It was wanted ${desired}.`,
    isUnseen ? unseenSentence(facts) : '',
    isUnseen || end !== undefined ? '' : 'No death of it is on record.',
    end === undefined ? '' : endSentence(end, nowMs),
    isUnseen ? '' : repetitionSentence(deaths),
    leftSentence(facts.left),
    counted === '' ? '' : `Restarts so far: ${counted}.`,
    desired === 'stopped'
      ? 'It stays stopped also when a supervisor starts.'
      : 'It will be started when a supervisor starts.',
  ];
  const cure = end === undefined || desired === 'stopped' ? 'nothing' : CURES[end.cause](name);
  return {
    paragraph: sentences.filter((sentence) => sentence !== '').join(' '),
    lastLines: desired === 'stopped' ? [] : facts.lastLines,
    evidence: end?.evidence,
    todo: `${cure === 'nothing' ? '' : `${cure}; `}start a supervisor with: gatewarden up`,
  };
}

function unseenSentence({ lastGeneration, supervisor }: StoredWhyFacts): string {
  const lived = `Its last run, generation ${lastGeneration}, was alive when the supervisor was last seen`;
  return supervisor === 'no supervisor runs' ? `${lived}: how it ended is not known.` : `${lived}.`;
}
