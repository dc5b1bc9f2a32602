import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  type Stats,
} from 'node:fs';
import { errnoOf } from '../../src/core/errors.js';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** The thing itself, whatever stands at its path a moment later. */
export interface OpenEntry {
  readonly stat: Stats;
  change(uid: number, gid: number, mode: number): void;
}

/**
 * Opens without following a link and without waiting for a pipe's other end.
 * @returns undefined when nothing is there; what `act` returned otherwise
 * @throws the errno of the kernel: ELOOP or ENOTDIR for a link
 */
export function withEntry<Result>(
  path: string,
  kind: 'directory' | 'file',
  act: (entry: OpenEntry) => Result,
): Result | undefined {
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (kind === 'directory' ? O_DIRECTORY : 0);
  const fd = openOrNothing(path, flags);
  if (fd === undefined) return undefined;
  try {
    return act({
      stat: fstatSync(fd),
      change: (uid, gid, mode) => {
        fchownSync(fd, uid, gid);
        // after it, because a change of the owner clears bits
        fchmodSync(fd, mode);
      },
    });
  } finally {
    closeSync(fd);
  }
}

function openOrNothing(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
