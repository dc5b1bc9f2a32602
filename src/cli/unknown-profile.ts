import { existsSync } from 'node:fs';
import { profileLayout } from '../config/paths.js';
import { GatewardenError } from '../core/errors.js';
import { knownProfiles } from './known-profiles.js';

/** Says what to do by what there is of it: a directory, kept logs, or nothing. */
class UnknownProfileError extends GatewardenError {
  readonly #next: string | undefined;

  constructor(details: { readonly got: string; readonly known: string }, next: string | undefined) {
    super('unknown-profile', details);
    this.#next = next;
  }

  override get next(): string {
    return this.#next ?? super.next;
  }
}

/** @param loaded what the supervisor knows; left out where the home itself is asked */
export function unknownProfile(
  got: string,
  home: string,
  loaded?: readonly string[],
): GatewardenError {
  const onDisk = knownProfiles(home);
  const known = (loaded ?? onDisk).join(', ') || 'none';
  return new UnknownProfileError({ got, known }, nextFor(got, home, onDisk));
}

function nextFor(got: string, home: string, onDisk: readonly string[]): string | undefined {
  if (onDisk.includes(got)) return 'it is there but not loaded yet: gatewarden reload';
  if (!existsSync(profileLayout(home, got).logDir)) return undefined;
  return `it was removed, its log is kept: gatewarden logs ${got}`;
}
