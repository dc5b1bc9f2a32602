import type { WatchPolicy } from '../core/watch.js';
import { ownTimeMs } from './own-time.js';

export type LatenessPolicy = Pick<
  WatchPolicy,
  'sampleMs' | 'warnAfterMs' | 'strikeMs' | 'strikes' | 'recoverSamples'
>;

/** One look of the thread at the loop's counter. */
export interface Sample {
  /** monotonic */
  readonly atMs: number;
  readonly tick: number;
  /** so long after the last look the thread had meant to look */
  readonly lookMs: number;
  /** of the time since the last look: what the host kept from the loop (processor, memory) */
  readonly stolenMs: number;
}

/** What is known of a loop between two looks. */
export interface Lateness {
  readonly atMs: number;
  readonly tick: number;
  /** time without a movement, without what was not the loop's fault */
  readonly unmovedMs: number;
  /** movements in a row */
  readonly moves: number;
  readonly strikes: number;
  readonly isLate: boolean;
}

export type LatenessVerdict =
  | 'ok'
  /** it is late, for the first time since it was well */
  | 'warn'
  | 'strike'
  /** the last strike; told once until it recovers */
  | 'stalled'
  /** it was late, but so were we: the time does not count */
  | 'forgiven'
  | 'recovered';

export interface Judgement {
  readonly lateness: Lateness;
  readonly verdict: LatenessVerdict;
}

export function firstLateness(atMs: number, tick: number): Lateness {
  return { atMs, tick, unmovedMs: 0, moves: 0, strikes: 0, isLate: false };
}

/** It came back while it was looked at: it stays late, and its time begins again. */
export function forgiveStrikes(lateness: Lateness): Lateness {
  return { ...lateness, unmovedMs: 0, strikes: 0 };
}

/** It came back before anybody was warned of it: there is nothing that it has to recover from. */
export function forgiveLateness(lateness: Lateness): Lateness {
  return { ...forgiveStrikes(lateness), isLate: false };
}

/**
 * Judges a loop by its counter. Only time counts in which the thread itself was on time and the
 * host let the loop run: a host that slept, SIGSTOP and a starved machine make both late.
 */
export function judgeLateness(before: Lateness, sample: Sample, policy: LatenessPolicy): Judgement {
  return sample.tick === before.tick
    ? judgeUnmoved(before, sample, policy)
    : judgeMoved(before, sample, policy);
}

function judgeMoved(before: Lateness, { atMs, tick }: Sample, policy: LatenessPolicy): Judgement {
  const moves = before.moves + 1;
  const isWell = !before.isLate || moves >= policy.recoverSamples;
  const lateness = { atMs, tick, moves, unmovedMs: 0, strikes: 0, isLate: !isWell };
  return { lateness, verdict: before.isLate && isWell ? 'recovered' : 'ok' };
}

function judgeUnmoved(before: Lateness, sample: Sample, policy: LatenessPolicy): Judgement {
  const passedMs = Math.max(0, sample.atMs - before.atMs);
  const { lookMs, stolenMs } = sample;
  const countedMs = ownTimeMs({ passedMs, lookMs, stolenMs });
  const unmovedMs = before.unmovedMs + countedMs;
  // the counter may stand still for one interval of the loop's and be on time
  const lateMs = unmovedMs - policy.sampleMs;
  const strikes = Math.min(Math.max(0, Math.floor(lateMs / policy.strikeMs)), policy.strikes);
  const isLate = before.isLate || strikes > 0 || lateMs >= policy.warnAfterMs;
  const { atMs, tick } = sample;
  const lateness = { atMs, tick, unmovedMs, moves: 0, strikes, isLate };
  if (strikes > before.strikes) {
    return { lateness, verdict: strikes === policy.strikes ? 'stalled' : 'strike' };
  }
  if (isLate && !before.isLate) return { lateness, verdict: 'warn' };
  return { lateness, verdict: countedMs * 2 < passedMs ? 'forgiven' : 'ok' };
}
