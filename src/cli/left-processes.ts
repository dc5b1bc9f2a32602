import { readdirSync, readFileSync } from 'node:fs';
import { homeHash } from '../config/paths.js';
import { SCOPE_VARIABLE } from '../core/scope.js';
import { plural } from './render/units.js';

/** A process that carries this home's tag. */
export interface LeftProcess {
  readonly pid: number;
  readonly profile: string;
}

/** What runs of a home, by its tag: without a supervisor, what nobody owns. */
export function processesOfHome(home: string): readonly LeftProcess[] {
  const tag = `${SCOPE_VARIABLE}=${homeHash(home)}:`;
  return pids().flatMap((pid) => {
    const scope = environmentOf(pid).find((entry) => entry.startsWith(tag));
    if (scope === undefined || pid === process.pid) return [];
    const [, , profile = 'unknown'] = scope.slice(SCOPE_VARIABLE.length + 1).split(':');
    return [{ pid, profile }];
  });
}

const NAMED_PIDS = 3;

/** `3 processes of it still run (pid 7, 8, 9): …`; empty when there are none. */
export function leftSentence(left: readonly number[]): string {
  if (left.length === 0) return '';
  const named = left.slice(0, NAMED_PIDS).join(', ');
  const more = left.length > NAMED_PIDS ? ' and more' : '';
  const verb = left.length === 1 ? 'runs' : 'run';
  return `${plural(left.length, 'process', 'processes')} of it still ${verb} (pid ${named}${more}): the next gatewarden up ends what it left.`;
}

function pids(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
