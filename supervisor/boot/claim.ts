import { homeLayout } from '../../src/config/paths.js';
import { LEASE_TIMES } from '../../src/core/lease.js';
import { Cleanup } from '../cleanup.js';
import { ownHome, STANDBY_POLL_MS } from '../own-home.js';
import { prepareHome } from '../prepare-home.js';
import type { Boot, SupervisorOptions } from './context.js';

/**
 * The home is ours alone from here on.
 * @throws GatewardenError already-running, owner-busy, home-missing, home-unusable
 */
export async function claim(options: SupervisorOptions): Promise<Boot> {
  const layout = homeLayout(options.home);
  prepareHome(layout);
  const owned = await ownHome({
    layout,
    replace: options.replace,
    standby: options.standby ?? true,
    onStandby: (owner) => options.onStandby?.(owner),
    times: LEASE_TIMES,
    pollMs: STANDBY_POLL_MS,
  });
  const cleanup = new Cleanup();
  cleanup.add(() => owned.release());
  const { startTicks } = owned.owner.identity;
  return { options, layout, owned, startTicks, startedAt: new Date(), cleanup };
}
