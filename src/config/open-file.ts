import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const READ = 0o444;
const PASS = 0o111;

/** Which accounts are asked about: the bits of a mode that are theirs. */
export const OTHERS = 0o007;
export const GROUP_AND_OTHERS = 0o077;

/**
 * Whether accounts besides the owner can really read a file: its own mode lets them, and so does
 * every directory above it, up to the root.
 */
export function canBeReadBy(who: number, file: { readonly path: string; readonly mode: number }) {
  return (file.mode & READ & who) !== 0 && canBeReachedBy(who, file.path);
}

function canBeReachedBy(who: number, path: string): boolean {
  try {
    return directoriesAbove(path).every((above) => (statSync(above).mode & PASS & who) !== 0);
  } catch {
    // gone meanwhile, or not for us to look at: nothing shows that it is closed
    return true;
  }
}

/** Of the file itself, where a link only points to it. */
function directoriesAbove(path: string): string[] {
  const directories: string[] = [];
  let above = dirname(realpathSync(path));
  while (above !== directories.at(-1)) {
    directories.push(above);
    above = dirname(above);
  }
  return directories;
}
