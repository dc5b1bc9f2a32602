import { homeHash } from '../config/paths.js';
import { type Containment, chooseContainment, inheritContainment } from '../containment/index.js';
import type { GatewayAssignment } from '../core/assignment.js';
import { generationScope, instancePrefix, instanceTag, SCOPE_VARIABLE } from '../core/scope.js';
import { readStat } from '../store/process-table.js';

/** The containment of tool processes, chosen when the first of them is started. */
export interface LazyContainment {
  readonly get: () => Containment;
  /** Takes down what was made; nothing if nothing was. */
  readonly close: () => Promise<void>;
}

export function lazyContainment(assignment: GatewayAssignment): LazyContainment {
  return lazily(() => choose(assignment));
}

function lazily(choice: () => Containment): LazyContainment {
  let chosen: Containment | undefined;
  return {
    get: () => {
      chosen ??= choice();
      return chosen;
    },
    close: async () => {
      await chosen?.close();
      chosen = undefined;
    },
  };
}

/** For a profile in the process of another: beside the scopes of that one, with its own limits. */
export function containmentBeside(
  host: LazyContainment,
  assignment: GatewayAssignment,
): LazyContainment {
  const { toolMemoryBytes } = assignment;
  return lazily(() => {
    const { limits, place, weakerBecause } = host.get();
    const grant = {
      place: place?.tree,
      weakerBecause,
      memoryBytesPerProcess: undefined,
      holdsMemory: limits.memoryBytes.kind === 'tree',
    };
    return inheritContainment(grant, { tag: standaloneTag(assignment), toolMemoryBytes });
  });
}

function choose(assignment: GatewayAssignment): Containment {
  const { containment, home, profile, env, toolMemoryBytes } = assignment;
  // below the supervisor's tag, so that what we leave is found as a part of this generation
  const tag = env[SCOPE_VARIABLE] ?? standaloneTag(assignment);
  if (containment !== undefined) return inheritContainment(containment, { tag, toolMemoryBytes });
  // never begins like a supervisor's: what such a tree holds is not a supervisor's leftover
  const treeName = `gatewarden-alone-${homeHash(home)}-${profile}`;
  return chooseContainment({ tag, leaf: 'gateway', treeName, toolMemoryBytes });
}

function standaloneTag({ home, profile, generation }: GatewayAssignment): string {
  const instance = instanceTag(process.pid, readStat(process.pid)?.startTicks);
  return generationScope(instancePrefix(homeHash(home), instance), profile, generation);
}
