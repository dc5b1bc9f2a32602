import { type HomeLayout, homeLayout } from '../../src/config/paths.js';
import { LEASE_TIMES } from '../../src/core/lease.js';
import { openVoice } from '../../src/manager/index.js';
import { Cleanup } from '../cleanup.js';
import { StandbyVoice } from '../manager/standby-voice.js';
import { type OwnedHome, ownHome, STANDBY_POLL_MS } from '../own-home.js';
import { prepareHome } from '../prepare-home.js';
import type { Boot, SupervisorOptions } from './context.js';

/**
 * The home is ours alone from here on.
 * @throws GatewardenError already-running, owner-busy, home-missing, home-unusable
 */
export async function claim(options: SupervisorOptions): Promise<Boot> {
  const layout = homeLayout(options.home);
  prepareHome(layout);
  const owned = await own(options, layout);
  const cleanup = new Cleanup();
  cleanup.add(() => owned.release());
  const { startTicks } = owned.owner.identity;
  return { options, layout, owned, startTicks, startedAt: new Date(), cleanup };
}

async function own(options: SupervisorOptions, layout: HomeLayout): Promise<OwnedHome> {
  const { env } = options;
  // a manager that does not hear us has nothing that we could log to yet
  const trouble = () => undefined;
  const voice = new StandbyVoice(() => openVoice({ env, pid: process.pid, trouble }));
  try {
    return await ownHome({
      layout,
      replace: options.replace,
      standby: options.standby ?? true,
      onStandby: (owner) => {
        options.onStandby?.(owner);
        voice.standsBy(owner);
      },
      times: LEASE_TIMES,
      pollMs: STANDBY_POLL_MS,
    });
  } finally {
    voice.close();
  }
}
