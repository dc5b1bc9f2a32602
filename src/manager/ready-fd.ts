import { closeSync, fstatSync, writeSync } from 'node:fs';
import { messageOf } from '../core/errors.js';

/** A descriptor of ours that can be one for readiness: not the three that everybody has. */
const MIN_FD = 3;
const MAX_FD = 1023;

/** undefined: it names none */
export function parseFd(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,4}$/.test(text)) return undefined;
  const fd = Number(text);
  return fd >= MIN_FD && fd <= MAX_FD ? fd : undefined;
}

/** s6: a newline means ready, and the end of the descriptor that nothing else will come. */
export function sayReadyOn(fd: number, trouble: (detail: string) => void): void {
  try {
    const stats = fstatSync(fd);
    // a wrong number may be one that Node uses for itself: closing that would stop its loop
    if (!stats.isFIFO() && !stats.isFile() && !stats.isSocket()) throw new Error('it is no pipe');
    writeSync(fd, '\n');
    closeSync(fd);
  } catch (error) {
    trouble(`cannot tell s6 on descriptor ${fd}: ${messageOf(error)}`);
  }
}
