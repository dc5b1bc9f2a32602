import type { RestartLoopGuard } from '../../core/assignment.js';

/** One start of the gateway, as the store remembers it. */
export interface BootRecord {
  /** epoch milliseconds */
  readonly at: number;
  /** conversations that the life before had cut off */
  readonly interrupted: number;
}

/**
 * Whether starts that find cut-off turns follow each other so closely that taking the turns up
 * may be what ends the gateway (spec/supervision.md 6.6). Pure.
 * @param boots newest first, this one included
 */
export function isRestartLoop(boots: readonly BootRecord[], guard: RestartLoopGuard): boolean {
  if (guard.maxRestarts <= 0) return false;
  const gapMs = Math.max(guard.maxGapMs, guard.windowMs);
  const interrupted = boots.filter((boot) => boot.interrupted > 0);
  // a chain ends with this boot, or there is none
  if (interrupted[0] !== boots[0]) return false;
  const end = interrupted.findIndex((boot, index) => {
    const newer = interrupted[index - 1];
    return newer !== undefined && newer.at - boot.at > gapMs;
  });
  const chained = end === -1 ? interrupted.length : end;
  return chained >= guard.maxRestarts;
}
