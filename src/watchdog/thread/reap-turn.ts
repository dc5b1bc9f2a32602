import { join } from 'node:path';
import { CGROUP_FILES } from '../../containment/cgroup/files.js';
import { signalMembers } from '../../containment/processes/signal.js';
import { findMembers } from '../../containment/session/session-tree.js';

/** Looks after the first kill: a tree may fork while it dies, but not for ever. */
const ROUNDS = 5;

export interface TurnProcesses {
  /** every scope of the turn is named after it */
  readonly turnId: string;
  /** scopes of it that are meant to outlive it */
  readonly kept: readonly string[];
  /** where the cgroups of turns are */
  readonly place: string | undefined;
}

/**
 * Ends what a turn started, for certain and without waiting: the loop that would do it in order
 * does not run.
 */
export function reapTurn(turn: TurnProcesses): void {
  for (const directory of cgroupsOf(turn)) {
    CGROUP_FILES.write(join(directory, 'cgroup.kill'), '1');
  }
  const membership = { roots: [], hasScope: (tag: string) => isOfTurn(nameIn(tag), turn) };
  for (let round = 0; round < ROUNDS; round++) {
    const members = findMembers(membership);
    if (members.length === 0) return;
    signalMembers(members, 'SIGKILL');
  }
}

/** A scope's name is `‹turn›.‹what›`; an empty turn would be everybody's. */
export function isOfTurn(scope: string, { turnId, kept }: Omit<TurnProcesses, 'place'>): boolean {
  return turnId !== '' && scope.startsWith(`${turnId}.`) && !kept.includes(scope);
}

/** The tag ends in the scope's name. */
function nameIn(tag: string): string {
  return tag.slice(tag.lastIndexOf(':') + 1);
}

function cgroupsOf(turn: TurnProcesses): string[] {
  const { place } = turn;
  if (place === undefined) return [];
  return CGROUP_FILES.list(place)
    .filter((name) => isOfTurn(name, turn))
    .map((name) => join(place, name));
}
