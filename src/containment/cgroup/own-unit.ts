import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ScopeMember } from '../port.js';
import { signalMembers } from '../processes/signal.js';
import { CGROUP_FILES } from './files.js';
import { findOwnPlaces } from './own-place.js';
import { identifyMembers } from './pids.js';

/** The cgroup of the unit that this process belongs to. */
export interface OwnUnit {
  readonly directory: string;
  /** the root of the hierarchy: everything on the host is in it */
  readonly isRoot: boolean;
}

/** systemd runs the commands around a service here when the unit's own cgroup is delegated. */
const CONTROL_LEAF = '.control';

/** undefined where there is no cgroup v2. */
export function findOwnUnit(): OwnUnit | undefined {
  const found = findOwnPlaces(readText('/proc/self/cgroup'), readText('/proc/self/mountinfo'));
  if (found.kind === 'none') return undefined;
  const { directory: own } = found.places[0];
  const directory = basename(own) === CONTROL_LEAF ? dirname(own) : own;
  const isRoot = CGROUP_FILES.read(join(directory, 'cgroup.events')) === undefined;
  return { directory, isRoot };
}

/** Everybody in it and below but ourselves. */
export function membersOfUnit({ directory }: OwnUnit): readonly ScopeMember[] {
  return identifyMembers(directory, CGROUP_FILES);
}

/**
 * One by one: the kernel of the incident behind this answered the kill of the whole group with
 * EINVAL (supervision.md 1.9). @returns the pids that were hit
 */
export function killMembers(members: readonly ScopeMember[]): readonly number[] {
  return signalMembers(members, 'SIGKILL');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
