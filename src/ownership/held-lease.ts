import { messageOf } from '../core/errors.js';
import { judgeTenure, LEASE_TIMES, type LeaseRecord } from '../core/lease.js';
import type { Owner } from '../core/owner.js';
import { beatLease, createLease, readLease, releaseLease, removeOlder } from './lease-files.js';

export interface LeaseTimes {
  readonly beatEveryMs: number;
  readonly fenceAfterBeats: number;
  readonly staleAfterBeats: number;
}

/** Why an owner is one no longer. */
export interface LostLease {
  /** undefined: nobody took it yet, but somebody may */
  readonly by: Owner | undefined;
  readonly reason: string;
}

export interface LeaseClaim {
  readonly directory: string;
  readonly owner: Owner;
  readonly generation: number;
  readonly storage: 'local' | 'shared';
  readonly times?: LeaseTimes;
}

/** undefined: another was faster. */
export function takeLease(claim: LeaseClaim): HeldLease | undefined {
  const { directory, generation, owner, times = LEASE_TIMES } = claim;
  const record = { generation, owner, beatEveryMs: times.beatEveryMs, isReleased: false };
  if (!createLease(directory, record)) return undefined;
  removeOlder(directory, generation);
  return new HeldLease(record, claim);
}

/** A lease that is ours, until it is released or lost. */
export class HeldLease {
  readonly #record: LeaseRecord;
  readonly #claim: LeaseClaim;
  readonly #times: LeaseTimes;
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;
  #lost: (lost: LostLease) => void = () => undefined;
  #isOver = false;
  #trouble = '';

  constructor(record: LeaseRecord, claim: LeaseClaim) {
    this.#record = record;
    this.#claim = claim;
    this.#times = claim.times ?? LEASE_TIMES;
  }

  get generation(): number {
    return this.#record.generation;
  }

  /** Beats from now on. @param lost told once, when it is ours no longer */
  keep(lost: (lost: LostLease) => void): void {
    this.#lost = lost;
    this.#timer = setInterval(() => this.#tick(), this.#times.beatEveryMs).unref();
    this.#tick();
  }

  /** May be called twice. */
  release(): void {
    if (this.#isOver) return;
    this.#end();
    try {
      releaseLease(this.#claim.directory, this.#record);
    } catch {
      // whoever comes finds that its owner is dead, or sees no beat
    }
  }

  /** One beat at a time: a volume that hangs must not collect them. The judgement never waits. */
  #tick(): void {
    this.#judge(undefined);
    if (this.#isBeating || this.#isOver) return;
    this.#isBeating = true;
    const begunAt = performance.now();
    beatLease(this.#claim.directory, this.#record)
      .then(
        (highest) => {
          if (highest <= this.#record.generation) this.#renewedAt = begunAt;
          this.#judge(highest);
        },
        (error: unknown) => {
          this.#trouble = messageOf(error);
        },
      )
      .finally(() => {
        this.#isBeating = false;
      });
  }

  #judge(highest: number | undefined): void {
    const sinceRenewedMs = performance.now() - this.#renewedAt;
    const { generation } = this.#record;
    const { storage } = this.#claim;
    const facts = { ...this.#times, own: generation, highest, sinceRenewedMs, storage };
    const verdict = judgeTenure(facts);
    if (verdict === 'kept' || this.#isOver) return;
    this.#end();
    this.#lost(verdict === 'taken' ? this.#takenBy() : this.#fenced(sinceRenewedMs));
  }

  #takenBy(): LostLease {
    let by: Owner | undefined;
    try {
      by = readLease(this.#claim.directory)?.owner;
    } catch {
      // it counts that somebody did
    }
    return { by, reason: 'its lease has a newer owner' };
  }

  #fenced(sinceRenewedMs: number): LostLease {
    const seconds = Math.round(sinceRenewedMs / 1000);
    const trouble = this.#trouble === '' ? 'the volume does not answer' : this.#trouble;
    return { by: undefined, reason: `its lease could not be renewed for ${seconds} s: ${trouble}` };
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }
}
