import type { SystemdScope } from '../../units/systemd/policy.js';

/** The systemd that these figures are from: others have other checks and other weights. */
export const EXPOSURE_VERSION = 252;

export interface Exposure {
  readonly of: string;
  /** whose `systemd-analyze security` it is */
  readonly scope: SystemdScope;
  /** 0 is nothing to attack, 100 is everything */
  readonly tenths: number;
}

/** What `systemd-analyze security --offline=true` says; the page tells it, a test measures it. */
export const EXPOSURES = {
  'supervisor-system': { of: 'a service of the host', scope: 'system', tenths: 36 },
  'supervisor-root': { of: 'one that runs as root', scope: 'system', tenths: 57 },
  'supervisor-user': { of: 'one of your own', scope: 'user', tenths: 79 },
  'gateway-system': { of: 'a gateway alone, of the host', scope: 'system', tenths: 36 },
} as const satisfies Readonly<Record<string, Exposure>>;

const TEN = 10;

export function exposureText({ tenths }: Exposure): string {
  return (tenths / TEN).toFixed(1);
}
