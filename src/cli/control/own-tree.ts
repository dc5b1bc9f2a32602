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
}

/**
 * Whether this command was typed inside the gateway that it is about (field cases B26, B27):
 * by ancestry, and by the tag in the environment for what was re-parented since. Waiting would
 * then wait for ourselves, because a drain waits for the turn that runs us.
 */
export function isInsideTreeOf(profile: ProfileStatus, where: Whereabouts): boolean {
  if (profile.pid !== null && where.ancestors.includes(profile.pid)) return true;
  const [home, , name] = (where.env[SCOPE_VARIABLE] ?? '').split(':');
  return home === where.homeHash && name === profile.name;
}
