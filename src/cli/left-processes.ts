import { homeHash } from '../config/paths.js';
import { readScope, scanProcesses } from '../containment/index.js';
import { instanceTag } from '../core/scope.js';

/** A process that carries this home's tag. */
export interface LeftProcess {
  readonly pid: number;
  readonly profile: string;
}

/** What runs of a home, by its tag, although whoever gave it that tag is gone. */
export function ownerlessProcesses(home: string): readonly LeftProcess[] {
  const prefix = `${homeHash(home)}:`;
  const running = scanProcesses();
  const startTicks = new Map(running.map((stat) => [stat.pid, stat.startTicks]));
  return running.flatMap(({ pid }) => {
    const scope = readScope(pid);
    if (scope?.startsWith(prefix) !== true || pid === process.pid) return [];
    const [, instance = '', profile = 'unknown'] = scope.split(':');
    const owner = Number.parseInt(instance, 10);
    // the tools of a gateway without a supervisor are what its turns work with
    if (instanceTag(owner, startTicks.get(owner)) === instance) return [];
    return [{ pid, profile }];
  });
}
