import type { ProfileLimits } from '../../src/config/model.js';
import type { LimitSupport } from '../../src/containment/index.js';

const KEYS = {
  memoryBytes: { key: 'limits.memory', heldBy: 'memoryBytes' },
  toolMemoryBytes: { key: 'limits.tool_memory', heldBy: 'memoryBytes' },
  processes: { key: 'limits.processes', heldBy: 'processes' },
  cpus: { key: 'limits.cpu', heldBy: 'cpus' },
} as const;

/** Says of each limit that a profile sets and the host cannot hold its whole tree to, why. */
export function limitNotices(limits: ProfileLimits, support: LimitSupport): string[] {
  return (Object.keys(KEYS) as (keyof typeof KEYS)[]).flatMap((name) => {
    const { key, heldBy } = KEYS[name];
    const reach = support[heldBy];
    if (limits[name] === undefined || reach.kind === 'tree') return [];
    const how = reach.kind === 'process' ? 'holds for single processes only' : 'cannot be enforced';
    return [`${key} ${how}: ${reach.because}`];
  });
}
