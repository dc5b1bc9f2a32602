import type { Job, JobPhase } from '../../src/core/control.js';
import type { Verb } from '../../src/core/events.js';
import type { ProfileState } from '../../src/core/lifecycle.js';

/** What a job sees of its profile. */
export interface JobView {
  readonly state: ProfileState;
  readonly generation: number;
  /** why it is parked or backing off */
  readonly trouble: string | undefined;
  /** best guess until ready or stopped */
  readonly etaMs: number | undefined;
}

export interface JobStart {
  readonly verb: Verb;
  /** newest generation when the verb came */
  readonly generation: number;
  /** a reload that changed nothing, or a verb that found its goal reached */
  readonly satisfied: boolean;
}

export interface JobVerdict {
  readonly phase: JobPhase;
  readonly detail: string | undefined;
}

/** Whether the verb has been observed to be done; a failed start is told at once, not at a time-out. */
export function judgeJob(start: JobStart, view: JobView): JobVerdict {
  if (start.satisfied) return { phase: 'done', detail: undefined };
  if (start.verb === 'stop') return judgeStop(view);
  const isNew = start.verb === 'start' || view.generation > start.generation;
  switch (view.state) {
    case 'ready':
    case 'served':
    case 'degraded':
      return isNew
        ? { phase: 'done', detail: view.trouble }
        : { phase: 'waiting', detail: undefined };
    case 'parked':
    case 'backoff':
      return { phase: 'failed', detail: view.trouble ?? `it is ${view.state}` };
    case 'stopped':
      return { phase: 'failed', detail: view.trouble ?? 'it was stopped meanwhile' };
    case 'starting':
      return { phase: 'starting', detail: undefined };
    case 'draining':
      return { phase: 'draining', detail: undefined };
    default:
      return view.state satisfies never;
  }
}

function judgeStop(view: JobView): JobVerdict {
  switch (view.state) {
    case 'stopped':
      return { phase: 'done', detail: undefined };
    case 'draining':
      return { phase: 'draining', detail: undefined };
    case 'parked':
      // it ended with a refusal while it was asked to stop: down all the same
      return { phase: 'done', detail: view.trouble };
    case 'starting':
    case 'ready':
    case 'served':
    case 'degraded':
    case 'backoff':
      return { phase: 'failed', detail: 'it was started again meanwhile' };
    default:
      return view.state satisfies never;
  }
}

export function isFinished(job: Job): boolean {
  return job.phase === 'done' || job.phase === 'failed';
}
