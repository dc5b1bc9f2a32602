import { statSync } from 'node:fs';
import { nearnessOf, type Owner } from '../core/owner.js';
import { here } from '../store/place.js';

/**
 * Whether a record that names a home speaks of this one. An alias or a link leads to the same
 * directory; a copy took the record along, and what that says of somebody alive is about the
 * original. A home that is not there any more may have been moved here.
 */
export function isSameHome(recorded: string, home: string): boolean {
  if (recorded === home) return true;
  const [theirs, ours] = [statOf(recorded), statOf(home)];
  if (theirs === undefined || ours === undefined) return true;
  return theirs.dev === ours.dev && theirs.ino === ours.ino;
}

/** The same of an owner; paths of another container or machine lead elsewhere from here. */
export function isOwnerOf(owner: Owner, home: string): boolean {
  return nearnessOf(owner, here()) !== 'same-table' || isSameHome(owner.home, home);
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
