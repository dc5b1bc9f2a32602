import type { OwnUnit } from './own-units.js';

/** Where a unit says nothing: systemd's own defaults. */
const DEFAULT_MS = 90_000;

/** What the manager will really grant: what is installed counts, not what we would write now. */
export function installedBudgets({ service }: Pick<OwnUnit, 'service'>) {
  return {
    startMs: finite(service.startMs),
    stopMs: finite(service.stopMs),
  };
}

function finite(ms: number | undefined): number {
  return ms === undefined || !Number.isFinite(ms) || ms === 0 ? DEFAULT_MS : ms;
}
