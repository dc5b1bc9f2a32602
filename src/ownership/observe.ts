import type { Answer, MultiplexerFacts, OwnerFacts } from '../core/guard.js';
import { DEFAULT_PROFILE } from '../core/names.js';
import type { Owner } from '../core/owner.js';
import { isSameProcess } from '../core/process-identity.js';
import { livenessOfOwner } from '../store/place.js';
import { askGateway } from './ask-gateway.js';
import {
  isBeating,
  MISSED_BEATS,
  readLiveRecord,
  readRecordOf,
  type SeenRecord,
} from './live-record.js';

/** One that holds the lock for longer without a word of being ready does not start, it hangs. */
const START_MS = 60_000;

export interface ObserveOptions {
  /** how long a gateway may take to greet us */
  readonly askMs?: number;
  /** what was seen before, when somebody looks more than once */
  readonly beats?: BeatMemory;
}

/**
 * Whether an owner's beat has moved since it was first seen here. Then its loop runs, however
 * late it answers on a starved machine; a frozen one never moves. No clock has a say in it.
 */
export class BeatMemory {
  #first: SeenRecord | undefined;
  #firstAt = 0;

  hasMoved(record: SeenRecord): boolean {
    const first = this.#first;
    if (first !== undefined && isSameProcess(first.owner.identity, record.owner.identity)) {
      return first.beatAt !== record.beatAt;
    }
    this.#first = record;
    this.#firstAt = performance.now();
    return false;
  }

  /** It has not moved, and has not missed so many beats yet that this means anything. */
  isUndecided(): boolean {
    const first = this.#first;
    if (first === undefined || !isBeating(first, Date.now())) return false;
    return performance.now() - this.#firstAt <= MISSED_BEATS * first.beatEveryMs;
  }
}

/** Who holds a profile's lock, by its record and by asking; `holder` is what the lock's hint says. */
export async function observeOwner(
  recordPath: string,
  { holder, ...options }: ObserveOptions & { readonly holder: Owner | undefined },
): Promise<OwnerFacts> {
  const record = readLiveRecord(recordPath);
  const owner = holder ?? livingOwner(record);
  if (owner === undefined) return { owner, liveness: 'unknown', answer: 'starting' };
  const isOwn = record !== undefined && isSameProcess(record.owner.identity, owner.identity);
  const answer = isOwn ? await answerOf(record, options) : youngOrSilent(owner);
  return { owner, liveness: livenessOfOwner(owner), answer };
}

/** The default profile's gateway as far as it may serve others; undefined: there is none. */
export async function observeMultiplexer(
  home: string,
  options: ObserveOptions = {},
): Promise<MultiplexerFacts | undefined> {
  const record = readRecordOf(home, DEFAULT_PROFILE);
  if (record === undefined) return undefined;
  const liveness = livenessOfOwner(record.owner);
  if (liveness === 'dead') return undefined;
  const { isMultiplexer, owner, served } = record;
  const answer = isMultiplexer ? await answerOf(record, options) : 'serving';
  return { owner, liveness, answer, isMultiplexer, served, hasRescanned: false };
}

async function answerOf(record: SeenRecord, { askMs, beats }: ObserveOptions): Promise<Answer> {
  const hasMoved = beats?.hasMoved(record) === true;
  const isFresh = isBeating(record, Date.now());
  if (record.phase !== 'serving') return isFresh ? record.phase : 'silent';
  if (record.socket === undefined) return isFresh ? 'serving' : 'silent';
  const greeting = await askGateway(record.socket, askMs);
  if (greeting !== 'late') return greeting;
  return hasMoved ? 'serving' : 'silent';
}

/** It holds the lock and has not written its record yet, or could not. */
function youngOrSilent(owner: Owner): Answer {
  return Date.now() - owner.startedAt < START_MS ? 'starting' : 'silent';
}

function livingOwner(record: SeenRecord | undefined): Owner | undefined {
  if (record === undefined) return undefined;
  return livenessOfOwner(record.owner) === 'dead' ? undefined : record.owner;
}
