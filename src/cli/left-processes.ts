import { homeHash } from '../config/paths.js';
import { readScope, scanProcesses } from '../containment/index.js';

/** A process that carries this home's tag. */
export interface LeftProcess {
  readonly pid: number;
  readonly profile: string;
}

/** What runs of a home, by its tag: without a supervisor, what nobody owns. */
export function processesOfHome(home: string): readonly LeftProcess[] {
  const prefix = `${homeHash(home)}:`;
  return scanProcesses().flatMap(({ pid }) => {
    const scope = readScope(pid);
    if (scope?.startsWith(prefix) !== true || pid === process.pid) return [];
    const [, , profile = 'unknown'] = scope.split(':');
    return [{ pid, profile }];
  });
}
