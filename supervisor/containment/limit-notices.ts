import type { ProfileLimits } from '../../src/config/model.js';
import type { LimitSupport } from '../../src/containment/index.js';

const KEYS = {
  memoryBytes: 'limits.memory',
  processes: 'limits.processes',
  cpus: 'limits.cpu',
} as const;

/** Says of each limit that a profile sets and the host cannot hold its whole tree to, why. */
export function limitNotices(limits: ProfileLimits, support: LimitSupport): string[] {
  return (Object.keys(KEYS) as (keyof typeof KEYS)[]).flatMap((name) => {
    const reach = support[name];
    if (limits[name] === undefined || reach.kind === 'tree') return [];
    const how = reach.kind === 'process' ? 'holds for single processes only' : 'cannot be enforced';
    return [`${KEYS[name]} ${how}: ${reach.because}`];
  });
}
