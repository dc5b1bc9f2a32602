import { plural } from './units.js';

const NAMED_PIDS = 3;

/** `3 processes of it still run (pid 7, 8, 9): …`; empty when there are none. */
export function leftSentence(left: readonly number[]): string {
  if (left.length === 0) return '';
  const named = left.slice(0, NAMED_PIDS).join(', ');
  const more = left.length > NAMED_PIDS ? ' and more' : '';
  const verb = left.length === 1 ? 'runs' : 'run';
  return `${plural(left.length, 'process', 'processes')} of it still ${verb} (pid ${named}${more}): the next gatewarden up ends what it left.`;
}
