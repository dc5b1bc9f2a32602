import type { UnendedTrees } from '../containment/unended-trees.js';
import type { EventHub } from '../events/event-hub.js';
import { type SweepFacts, sweepLeftovers } from './boot-sweep.js';

/** Sweeps, tells what was found, and keeps an eye on what even that could not end. */
export async function sweepAndTell(
  facts: SweepFacts,
  { hub, unended }: { readonly hub: EventHub; readonly unended: UnendedTrees },
): Promise<void> {
  for (const { profile, pids, survivors, retry } of await sweepLeftovers(facts)) {
    const whose = { profile: profile ?? '' };
    if (pids.length > 0) hub.publish({ code: 'leftovers-ended', ...whose, pids });
    if (survivors.length === 0) continue;
    hub.publish({ code: 'survivors', ...whose, pids: survivors });
    unended.add({ profile, survivors, retry });
  }
}
