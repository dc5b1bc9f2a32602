import { readdirSync } from 'node:fs';
import { homeLayout } from '../config/paths.js';
import { errnoOf } from '../core/errors.js';
import { isProfileName } from '../core/names.js';

/** The profiles that have a directory in this home, sorted; none when there is no home. */
export function knownProfiles(home: string): readonly string[] {
  try {
    return readdirSync(homeLayout(home).profilesDir, { withFileTypes: true })
      .filter((entry) => !entry.isFile() && isProfileName(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (thrown) {
    // a home of somebody else is not an empty one
    if (errnoOf(thrown) === 'EACCES') throw thrown;
    return [];
  }
}
