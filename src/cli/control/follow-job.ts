import type { Job } from '../../core/control.js';
import { errnoOf } from '../../core/errors.js';
import { pause } from '../interrupt.js';
import type { ControlClient } from './client.js';
import { isNobodyThere } from './reach.js';
import { SilenceError } from './silence.js';

/** How a wait for a job ended. */
export type Followed =
  | { readonly kind: 'finished'; readonly job: Job }
  /** the time to wait is over, or the person has gone; the supervisor goes on */
  | { readonly kind: 'unfinished'; readonly job: Job; readonly why: 'timeout' | 'interrupted' }
  /** the supervisor went away while we waited */
  | { readonly kind: 'supervisor-gone'; readonly job: Job; readonly reason: string };

export interface FollowOptions {
  readonly pollMs: number;
  /** epoch milliseconds; undefined: as long as the supervisor says that it goes on */
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (job: Job) => void;
}

export function isFinished(job: Job): boolean {
  return job.phase === 'done' || job.phase === 'failed';
}

/** Asks for the job until it is finished. */
export async function followJob(
  client: ControlClient,
  first: Job,
  options: FollowOptions,
): Promise<Followed> {
  let job = first;
  while (!isFinished(job)) {
    options.onProgress(job);
    if (options.signal.aborted) return { kind: 'unfinished', job, why: 'interrupted' };
    const leftMs = (options.deadlineMs ?? Number.POSITIVE_INFINITY) - Date.now();
    if (leftMs <= 0) return { kind: 'unfinished', job, why: 'timeout' };
    await pause(Math.min(options.pollMs, leftMs), options.signal);
    if (options.signal.aborted) continue;
    try {
      job = await client.job(job.id);
    } catch (thrown) {
      const reason = reasonGone(thrown);
      if (reason === undefined) throw thrown;
      return { kind: 'supervisor-gone', job, reason };
    }
  }
  return { kind: 'finished', job };
}

function reasonGone(thrown: unknown): string | undefined {
  if (thrown instanceof SilenceError) return 'it does not answer any more';
  return isNobodyThere(thrown) ? `it has gone (${errnoOf(thrown) ?? ''})` : undefined;
}
