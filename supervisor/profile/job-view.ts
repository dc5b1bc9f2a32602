import type { JobView } from './job.js';
import type { ProfileView } from './profile-view.js';

/** What a job sees of a profile. */
export function jobView(view: ProfileView, now: number): JobView {
  return {
    state: view.state,
    generation: view.generation,
    trouble: troubleOf(view),
    etaMs: etaOf(view, now),
  };
}

function troubleOf(view: ProfileView): string | undefined {
  if (view.parked !== undefined) return view.parked.detail;
  if (view.state === 'backoff') return view.deaths.last?.detail ?? view.deaths.last?.cause;
  return view.degradedBecause;
}

/** A start takes about as long as the last one; anything else at most until its limit. */
function etaOf({ state, run, lastStartMs }: ProfileView, now: number): number | undefined {
  if (state === 'starting' && lastStartMs !== undefined && run !== undefined) {
    return Math.max(0, lastStartMs - (now - run.spawnedAt));
  }
  return run?.limit === undefined ? undefined : Math.max(0, run.limit.at - now);
}
