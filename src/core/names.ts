/** A profile's name: also a directory, a cgroup, a unit suffix and a socket name (design §2). */
export const PROFILE_NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The profile that exists when nobody named one. */
export const DEFAULT_PROFILE = 'default';

export function isProfileName(value: string): boolean {
  return PROFILE_NAME_PATTERN.test(value);
}
