import type { Environment } from '../../config/paths.js';
import { SCOPE_VARIABLE } from '../../core/scope.js';
import type { ProfileStatus } from '../../core/status.js';

/** What tells whose process tree a command line runs in. */
export interface Whereabouts {
  /** own pid, parent's, grandparent's, … */
  readonly ancestors: readonly number[];
  readonly env: Environment;
  /** first part of the scope tag of this home */
  readonly homeHash: string;
  /** /proc/self/cgroup; empty where there is none */
  readonly cgroup: string;
}

/**
 * Whether this command was typed inside the gateway that it is about (field cases B26, B27):
 * by ancestry, and for what was re-parented since by its cgroup and by the tag in the
 * environment. Waiting would then wait for ourselves, because a drain waits for the turn that
 * runs us.
 */
export function isInsideTreeOf(profile: ProfileStatus, where: Whereabouts): boolean {
  if (profile.pid !== null && where.ancestors.includes(profile.pid)) return true;
  if (isInCgroupOf(profile.name, where)) return true;
  const [home, , name] = (where.env[SCOPE_VARIABLE] ?? '').split(':');
  return home === where.homeHash && name === profile.name;
}

/** Our trees are named after the home, and what is below is named after the profile. */
function isInCgroupOf(profile: string, { cgroup, homeHash }: Whereabouts): boolean {
  const path = /^0::(.*)$/m.exec(cgroup)?.[1] ?? '';
  const parts = path.split('/');
  const at = parts.findIndex((part) => part.startsWith(`gatewarden-${homeHash}-`));
  return at !== -1 && parts[at + 1]?.split('.')[0] === profile;
}
