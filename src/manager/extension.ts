import type { ManagerVoice } from './voice.js';

export interface ExtensionTimes {
  readonly everyMs: number;
  /** more than two looks: one may come late on a busy host */
  readonly byMs: number;
}

export const EXTENSION_TIMES: ExtensionTimes = Object.freeze({ everyMs: 10_000, byMs: 30_000 });

/**
 * A long start or drain that goes on: the manager's own limit moves along with it, so that only a
 * process that says nothing any more runs into it. Ends by itself at the limit.
 */
export function keepExtending(
  voice: ManagerVoice,
  limitMs: number,
  { everyMs, byMs }: ExtensionTimes = EXTENSION_TIMES,
): () => void {
  if (voice.kind !== 'systemd') return () => undefined;
  const until = performance.now() + limitMs;
  const extend = (): void => {
    const leftMs = until - performance.now();
    if (leftMs <= 0) clearInterval(timer);
    else voice.tell({ code: 'extend', byMs: Math.min(byMs, leftMs) });
  };
  const timer = setInterval(extend, everyMs);
  extend();
  return () => clearInterval(timer);
}
