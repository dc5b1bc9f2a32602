import { assemble } from './boot/assemble.js';
import { callHerald } from './boot/call-herald.js';
import { claim } from './boot/claim.js';
import type { Boot, SupervisorOptions } from './boot/context.js';
import { openDoors } from './boot/doors.js';
import { layGround } from './boot/ground.js';
import { recogniseEnds } from './boot/lives.js';
import { recall } from './boot/memory.js';
import { serve } from './boot/serve.js';
import { sweep } from './boot/sweep.js';
import { startWatches } from './boot/watches.js';
import { keepHeapSmall } from './small-heap.js';

/**
 * Runs the supervisor until it is told to stop. The caller owns the process: it sets the exit
 * code from what this returns.
 * @returns an exit code of the contract
 * @throws GatewardenError when it may not or cannot run: already-running, home-missing,
 *   home-unusable, config-invalid, schema-newer, store-corrupt, socket-path-too-long
 */
export async function runSupervisor(options: SupervisorOptions): Promise<number> {
  keepHeapSmall();
  const boot = await claim(options);
  try {
    return await supervise(boot);
  } finally {
    await boot.cleanup.run();
  }
}

/** The steps of docs/boot.md, in their order; a new part gets a line in one of them. */
async function supervise(boot: Boot): Promise<number> {
  const remembering = recall(await layGround(boot));
  await sweep(remembering);
  const heard = callHerald(await openDoors(assemble(recogniseEnds(remembering))));
  startWatches(heard);
  return await serve(heard);
}
