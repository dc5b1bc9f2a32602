import { join } from 'node:path';
import type { SupervisorEvent } from '../../src/core/events.js';
import { DEFAULT_WATCH_POLICY } from '../../src/core/watch.js';
import { type LoopWatchdog, startLoopWatchdog } from '../../src/watchdog/loop-watchdog.js';

/**
 * Watches the supervisor's own loop. It is never ended by it: a supervisor takes all gateways
 * along, so that is left to the service manager, whose watchdog is not fed by a late loop.
 */
export function watchOwnLoop(
  stateDir: string,
  record: (event: SupervisorEvent) => void,
): LoopWatchdog {
  return startLoopWatchdog({
    order: {
      profile: undefined,
      generation: 0,
      evidenceDir: join(stateDir, 'evidence'),
      policy: { ...DEFAULT_WATCH_POLICY, warnOnly: true },
    },
    onMessage: (message) => {
      if (message.code !== 'evidence') return;
      const { kind, path, where, lateMs } = message;
      record({ code: 'evidence', profile: undefined, kind, path, where, lateMs });
    },
  });
}
