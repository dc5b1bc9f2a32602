import type { Cause, Death } from '../../core/death.js';
import { describeOutcome } from '../../core/death.js';
import type { ProfileStatus } from '../../core/status.js';
import { readableLine } from '../render/foreign-line.js';
import { formatSpan, plural } from '../render/units.js';
import type { LastEnd } from './facts.js';

/** The status is newer than the history; only the history knows whether it had been ready. */
export function lastEndOf(
  exit: ProfileStatus['lastExit'],
  deaths: readonly Death[],
): LastEnd | undefined {
  const death = deaths.at(-1);
  if (exit === null) return death === undefined ? undefined : fromDeath(death);
  const atMs = Date.parse(exit.at);
  const isUnseen = exit.code === null && exit.signal === null;
  return {
    how: exit.code === null ? (exit.signal ?? 'unseen') : `code ${exit.code}`,
    unseenGeneration: isUnseen ? death?.generation : undefined,
    cause: exit.cause,
    uptimeMs: exit.uptimeMs,
    atMs,
    detail: exit.detail === null ? undefined : readableLine(exit.detail),
    evidence: exit.evidence ?? undefined,
    wasReady: death !== undefined && death.at === atMs ? death.readyMs !== undefined : undefined,
  };
}

export function fromDeath(death: Death): LastEnd {
  return {
    how: describeOutcome(death.outcome),
    cause: death.cause,
    uptimeMs: death.uptimeMs,
    atMs: death.at,
    detail: death.detail === undefined ? undefined : readableLine(death.detail),
    evidence: death.evidence,
    wasReady: death.readyMs !== undefined,
    unseenGeneration: death.outcome.kind === 'unseen' ? death.generation : undefined,
  };
}

/** `Its last run ended 8s ago with code 1 (failure) 812ms after its start, before it was ready: KeyError.` */
export function endSentence(end: LastEnd, nowMs: number): string {
  const ago = `${formatSpan(nowMs - end.atMs)} ago`;
  const lived = `${formatSpan(end.uptimeMs)} after its start`;
  const isRefusal = end.cause === 'config' || end.cause === 'usage';
  const ready = end.wasReady === false && !isRefusal ? ', before it was ready' : '';
  const detail = end.detail === undefined ? '' : `: ${end.detail.replace(/\.$/, '')}`;
  const unseen = end.unseenGeneration === undefined ? undefined : UNSEEN_WORDS[end.cause];
  const words =
    unseen === undefined
      ? END_WORDS[end.cause](end.how, ago, lived)
      : `Its last run (generation ${end.unseenGeneration}) ${unseen} ${ago}, ${lived}`;
  return `${words}${ready}${detail}.`;
}

/** Nothing was killed that anybody knows of. */
const UNSEEN_WORDS: Readonly<Partial<Record<Cause, string>>> = {
  lost: 'ended unseen',
  'start-timeout': 'did not become ready in time and was told to end',
};

type EndWords = (how: string, ago: string, lived: string) => string;

const END_WORDS: Readonly<Record<Cause, EndWords>> = {
  asked: (how, ago, lived) => `Its last run ended as asked ${ago} (${how}), ${lived}`,
  planned: (how, ago, lived) =>
    `Its last run ended for a planned restart ${ago} (${how}), ${lived}`,
  config: (how, ago) => `Its last start was refused by its configuration ${ago} (${how})`,
  usage: (how, ago) => `Its last start was refused for bad arguments ${ago} (${how})`,
  failure: (how, ago, lived) => `Its last run failed ${ago} with ${how}, ${lived}`,
  bug: (how, ago, lived) =>
    `Its last run found a bug in itself and ended ${ago} with ${how}, ${lived}`,
  stall: (how, ago, lived) =>
    `Its event loop stalled, so its last run was killed ${ago} (${how}), ${lived}`,
  oom: (how, ago, lived) => `Its last run was killed for lack of memory ${ago} (${how}), ${lived}`,
  'start-timeout': (how, ago, lived) =>
    `Its last run did not become ready in time and was killed ${ago} (${how}), ${lived}`,
  lost: (how, ago, lived) =>
    `Its last run was lost ${ago} (${how}, without having been asked to end), ${lived}`,
};

/** Causes that say nothing against the gateway; a row of them is no news. */
const QUIET: ReadonlySet<Cause> = new Set(['asked', 'planned']);

/** `The 4 deaths before it had the same cause.`; empty when there is no such row. */
export function repetitionSentence(deaths: readonly Death[]): string {
  const last = deaths.at(-1);
  if (last === undefined || QUIET.has(last.cause)) return '';
  let same = 0;
  for (let index = deaths.length - 2; deaths[index]?.cause === last.cause; index--) same++;
  if (same === 0) return '';
  return `The ${same === 1 ? 'death' : plural(same, 'death')} before it had the same cause.`;
}
