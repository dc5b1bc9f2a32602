import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, type DoctorFacts, fine } from './finding.js';

/** Looks only; what the supervisor really uses stands in its status. */
export function checkContainment({ reach }: DoctorFacts): CheckResult {
  const used =
    reach.kind === 'answers' ? `in use: ${reach.report.supervisor.containment}` : 'not in use yet';
  return fine('containment', `${used}; ${describeCgroup(readText, isWritable)}`);
}

type Read = (path: string) => string | undefined;

/** What cgroup v2 could offer here, in one clause. */
export function describeCgroup(read: Read, canWrite: (path: string) => boolean): string {
  const mount = cgroup2Mount(read('/proc/self/mountinfo') ?? '');
  if (mount === undefined) {
    return read('/proc/self/stat') === undefined
      ? 'no /proc here: processes are found with ps'
      : 'no cgroup v2 is mounted: processes are found by session and tag';
  }
  const own = /^0::(.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1] ?? '/';
  const directory = join(mount, own);
  if (!canWrite(join(directory, 'cgroup.procs'))) {
    return `cgroup v2 at ${mount}, but ${directory} is not delegated to us`;
  }
  const controllers = (read(join(directory, 'cgroup.controllers')) ?? '').trim();
  return `cgroup v2 at ${directory} is writable, controllers: ${controllers === '' ? 'none' : controllers}`;
}

/** The mount point of the cgroup2 file system in /proc/PID/mountinfo (proc(5)). */
function cgroup2Mount(mountinfo: string): string | undefined {
  for (const line of mountinfo.split('\n')) {
    const [mounts = '', kind = ''] = line.split(' - ');
    if (kind.startsWith('cgroup2 ')) return mounts.split(' ')[4];
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
