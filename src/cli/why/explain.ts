import type { ProfileState } from '../../core/lifecycle.js';
import { readableLine } from '../render/foreign-line.js';
import { describeCounters } from '../render/profile-words.js';
import { formatSpan } from '../render/units.js';
import type { EvidenceSeen, LastEnd, Why, WhyFacts } from './facts.js';
import { endSentence, lastEndOf, repetitionSentence } from './last-end.js';
import { nextSentence } from './next-sentence.js';
import { stateSentence } from './state-sentence.js';
import { todoFor } from './todo.js';

/** States in which the last lines of an earlier run explain nothing. */
const WELL: ReadonlySet<ProfileState> = new Set(['ready', 'served']);

/** What was seen of a run that still goes on is news for so long. */
const NEWS_FOR_MS = 86_400_000;

/** Why a profile is in its state, from what the supervisor says. */
export function explain(facts: WhyFacts): Why {
  const { profile, deaths, nowMs } = facts;
  const end = lastEndOf(profile.lastExit, deaths);
  const seen = newsOf(facts, end);
  // a parked profile's reason is its last end already told
  const isTold =
    profile.parked !== null && readableLine(profile.parked.detail) === (end?.detail ?? '');
  const counted = describeCounters(profile.restarts);
  const sentences = [
    stateSentence(profile, nowMs),
    end === undefined ? '' : endSentence(isTold ? { ...end, detail: undefined } : end, nowMs),
    repetitionSentence(deaths),
    counted === '' ? '' : `Restarts so far: ${counted}.`,
    seen === undefined ? '' : seenSentence(seen, nowMs),
    noticeSentence(profile),
    profile.storm ? 'Alarm: it has died many times within a short while.' : '',
    nextSentence(profile, nowMs),
  ];
  return {
    paragraph: sentences.filter((sentence) => sentence !== '').join(' '),
    lastLines: WELL.has(profile.state) ? [] : profile.lastLines,
    // the successor is ready within a second: that is no reason to hide why there is one
    evidence: seen?.path ?? end?.evidence,
    todo: todoFor(profile, end?.cause),
  };
}

/** Only of the present run: an end has its own evidence, and tells more. */
function newsOf({ evidence, nowMs }: WhyFacts, end: LastEnd | undefined): EvidenceSeen | undefined {
  if (evidence === undefined || nowMs - evidence.atMs > NEWS_FOR_MS) return undefined;
  return end === undefined || evidence.atMs > end.atMs ? evidence : undefined;
}

function seenSentence({ kind, atMs, where }: EvidenceSeen, nowMs: number): string {
  const age = formatSpan(Math.max(0, nowMs - atMs));
  return `Its newest evidence (${kind}) is ${age} old: ${readableLine(where)}.`;
}

/** A degraded profile's notices are in its first sentence already. */
function noticeSentence({ held, notices, state }: WhyFacts['profile']): string {
  if (notices.length === 0 || state === 'degraded' || held) return '';
  return `Notice: ${notices.map((notice) => readableLine(notice)).join('; ')}.`;
}
