import { randomUUID } from 'node:crypto';
import type { Job } from '../../src/core/control.js';
import type { Verb } from '../../src/core/events.js';
import { isFinished, type JobStart, type JobView, judgeJob } from '../profile/job.js';

/** Finished jobs that can still be asked for. */
const KEPT_JOBS = 200;

interface Tracked {
  readonly start: JobStart;
  readonly profile: string;
  job: Job;
}

/** Verbs in progress. The same verb on the same profile shares its job while it runs. */
export class Jobs {
  readonly #jobs = new Map<string, Tracked>();

  /** The running job of this verb, if any: an idempotent verb joins it. */
  running(profile: string, verb: Verb): Job | undefined {
    for (const tracked of this.#jobs.values()) {
      if (tracked.profile !== profile || tracked.job.verb !== verb) continue;
      if (!isFinished(tracked.job)) return tracked.job;
    }
    return undefined;
  }

  begin(profile: string, start: JobStart, view: JobView): Job {
    const tracked: Tracked = {
      start,
      profile,
      job: {
        id: randomUUID(),
        profile,
        verb: start.verb,
        phase: 'waiting',
        etaMs: view.etaMs ?? null,
        detail: null,
        startedAt: new Date().toISOString(),
        finishedAt: null,
      },
    };
    this.#jobs.set(tracked.job.id, tracked);
    this.#forgetOld();
    this.#judge(tracked, view);
    return tracked.job;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id)?.job;
  }

  /** The profile's state changed: every running job of it is judged again. */
  observe(profile: string, view: JobView): void {
    for (const tracked of this.#jobs.values()) {
      if (tracked.profile === profile) this.#judge(tracked, view);
    }
  }

  #judge(tracked: Tracked, view: JobView): void {
    if (isFinished(tracked.job)) return;
    const verdict = judgeJob(tracked.start, view);
    const finished = verdict.phase === 'done' || verdict.phase === 'failed';
    tracked.job = {
      ...tracked.job,
      phase: verdict.phase,
      detail: verdict.detail ?? null,
      etaMs: finished ? 0 : (view.etaMs ?? null),
      finishedAt: finished ? new Date().toISOString() : null,
    };
  }

  #forgetOld(): void {
    for (const [id, tracked] of this.#jobs) {
      if (this.#jobs.size <= KEPT_JOBS) return;
      if (isFinished(tracked.job)) this.#jobs.delete(id);
    }
  }
}
