import { join } from 'node:path';
import { CGROUP_FILES } from '../../containment/cgroup/files.js';
import { signalMembers } from '../../containment/processes/signal.js';
import { findMembers } from '../../containment/session/session-tree.js';
import { isWithin } from '../../core/scope.js';
import type { ToolTree } from '../turn-messages.js';

/** Looks after the first kill: a tree may fork while it dies, but not for ever. */
const ROUNDS = 5;

/**
 * Ends the processes of a tool for certain and without waiting: the loop that would do it in
 * order does not run. @returns the pids that were found by their tag
 */
export function reapTree({ place, tag }: ToolTree): number[] {
  if (place !== undefined) CGROUP_FILES.write(join(place, 'cgroup.kill'), '1');
  const membership = { roots: [], hasScope: (scope: string) => isWithin(scope, tag) };
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const members = findMembers(membership);
    if (members.length === 0) break;
    for (const pid of signalMembers(members, 'SIGKILL')) killed.add(pid);
  }
  return [...killed];
}
