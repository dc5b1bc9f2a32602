import type { SupervisorEvent } from '../../src/core/events.js';
import { DEFAULT_WATCH_POLICY } from '../../src/core/watch.js';
import { startLoopWatchdog } from '../../src/watchdog/loop-watchdog.js';
import { LateTimer } from './late-timer.js';

export interface OwnLoopOptions {
  readonly evidenceDir: string;
  /** a thread costs memory: it is there when somebody acts on what it sees */
  readonly hasThread: boolean;
  readonly record: (event: SupervisorEvent) => void;
}

export interface OwnLoop {
  readonly isOnTime: boolean;
  stop(): void;
}

/**
 * Watches the supervisor's own loop. It is never ended by it: a supervisor takes all gateways
 * along, so that is left to the service manager, whose watchdog is not fed by a late loop.
 */
export function watchOwnLoop({ evidenceDir, hasThread, record }: OwnLoopOptions): OwnLoop {
  const tell = (where: string, lateMs: number, path?: string) =>
    record({ code: 'evidence', profile: undefined, kind: 'loop-late', path, where, lateMs });
  if (!hasThread) return new LateTimer(DEFAULT_WATCH_POLICY, tell);
  return startLoopWatchdog({
    order: {
      profile: undefined,
      generation: 0,
      evidenceDir,
      policy: { ...DEFAULT_WATCH_POLICY, warnOnly: true },
    },
    onMessage: (message) => {
      if (message.code !== 'evidence') return;
      const { fatal: _, ...kept } = message;
      record({ ...kept, profile: undefined });
    },
  });
}
