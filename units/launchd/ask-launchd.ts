import { GatewardenError } from '../../src/core/errors.js';
import type { UnitManager } from '../unit-manager.js';

/**
 * launchd always starts a job again, so it is told by hand, after the files were judged: what it
 * would loop on is never written.
 */
export function createLaunchdManager(domain: string): UnitManager {
  const notAsked = (what: string): never => {
    throw new GatewardenError('manager-failed', {
      what: `launchctl ${what}`,
      reason: 'launchd is not asked by this program',
      hint: `do it by hand: launchctl ${what}`,
    });
  };
  return {
    preflight: async () =>
      process.platform === 'darwin'
        ? { kind: 'ready', runtimeDir: undefined }
        : {
            kind: 'not-applicable',
            because: 'launchd is for macOS',
            instead: 'use the manager of this host: gatewarden units install systemd',
          },
    settle: async () => undefined,
    order: async (verb, name) => notAsked(`${BY_HAND[verb]} ${domain}/${name}`),
    state: async (name) => ({
      isInstalled: true,
      pid: undefined,
      isReady: false,
      isResting: true,
      isFailed: false,
      exitCode: undefined,
      words: 'not asked',
      look: `launchctl print ${domain}/${name}`,
    }),
  };
}

const BY_HAND = {
  start: 'kickstart',
  restart: 'kickstart -k',
  stop: 'bootout',
  enable: 'bootstrap',
  disable: 'bootout',
} as const;
