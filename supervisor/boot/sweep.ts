import { ENDING_TIMES } from '../spawner.js';
import { sweepAndTell } from '../sweep/tell-swept.js';
import type { Remembering } from './memory.js';

/** Ends what an earlier supervisor of this home left running, before anything is spawned. */
export async function sweep(before: Remembering): Promise<void> {
  const { hash, scopePrefix, stored, containment, hub, unended } = before;
  await sweepAndTell(
    {
      homePrefix: `${hash}:`,
      instancePrefix: scopePrefix,
      open: stored.open,
      containment,
      times: ENDING_TIMES,
    },
    { hub, unended },
  );
}
