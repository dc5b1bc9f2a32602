import { join } from 'node:path';
import { isDeadState, type ProcStat } from '../../core/proc-stat.js';
import { readStat } from '../processes/proc-scan.js';
import type { CgroupFiles } from './files.js';

/** Every pid of a cgroup and of those below it. */
export function listPids(directory: string, files: CgroupFiles): number[] {
  const own = (files.read(join(directory, 'cgroup.procs')) ?? '')
    .split('\n')
    .map(Number)
    // 0 stands for a process that our pid namespace cannot see
    .filter((pid) => pid > 0 && pid !== process.pid);
  const below = files.list(directory).flatMap((name) => listPids(join(directory, name), files));
  return below.length === 0 ? own : [...own, ...below];
}

/**
 * The living members with their start times. A pid counts only if it is listed again after its
 * start time was read: a stranger that got the number in between is not in our cgroup.
 */
export function identifyMembers(directory: string, files: CgroupFiles): ProcStat[] {
  const stats = listPids(directory, files).flatMap((pid) => readStat(pid) ?? []);
  if (stats.length === 0) return [];
  const stillListed = new Set(listPids(directory, files));
  return stats.filter((stat) => stillListed.has(stat.pid) && !isDeadState(stat.state));
}

/** Whether anything lives in it or below. A directory that is gone is empty. */
export function isPopulated(directory: string, files: CgroupFiles): boolean {
  return /^populated 1$/m.test(files.read(join(directory, 'cgroup.events')) ?? '');
}

/** Also when nobody is left to be frozen. */
export function isFrozen(directory: string, files: CgroupFiles): boolean {
  const events = files.read(join(directory, 'cgroup.events')) ?? '';
  return /^frozen 1$/m.test(events) || !/^populated 1$/m.test(events);
}
