import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Hints and ledgers are small: what is larger is none. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The text of a plain file. Another account may have put something else in its place: a pipe would
 * hold up whoever reads it, and a link would lead to what only the reader may read.
 */
export function readRegularFile(path: string): string {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error(`${path} is no small plain file`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
