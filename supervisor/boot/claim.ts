import { homeLayout } from '../../src/config/paths.js';
import { identityOf } from '../../src/store/index.js';
import { Cleanup } from '../cleanup.js';
import { prepareHome } from '../prepare-home.js';
import { claimHome } from '../take-over.js';
import type { Boot, SupervisorOptions } from './context.js';

/**
 * The home is ours alone from here on.
 * @throws GatewardenError already-running, home-missing, home-unusable
 */
export async function claim(options: SupervisorOptions): Promise<Boot> {
  const layout = homeLayout(options.home);
  prepareHome(layout);
  const identity = identityOf(process.pid) ?? {
    pid: process.pid,
    startTicks: undefined,
    bootId: undefined,
  };
  const lock = await claimHome({
    path: layout.supervisorLock,
    owner: { identity, home: options.home, startedAt: Date.now() },
    replace: options.replace,
    hintPath: layout.supervisorHint,
  });
  const cleanup = new Cleanup();
  cleanup.add(() => lock.release());
  return { options, layout, startTicks: identity.startTicks, startedAt: new Date(), cleanup };
}
