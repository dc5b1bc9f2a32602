import {
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/errors.js';
import type { Ids } from '../port.js';

/** Every touch of the cgroup file system; refusals are values here, because each is expected. */
export interface CgroupFiles {
  /** undefined when it is not there or may not be read */
  read(path: string): string | undefined;
  /** @returns the errno of a refusal */
  write(path: string, text: string): string | undefined;
  makeDirectory(path: string): string | undefined;
  removeDirectory(path: string): string | undefined;
  give(path: string, owner: Ids): string | undefined;
  /** names of the cgroups right below */
  list(path: string): readonly string[];
}

export const CGROUP_FILES: CgroupFiles = {
  read(path) {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return undefined;
    }
  },
  write: (path, text) => refusalOf(() => writeExisting(path, text)),
  makeDirectory: (path) => refusalOf(() => mkdirSync(path)),
  removeDirectory: (path) => refusalOf(() => rmdirSync(path)),
  give: (path, { uid, gid }) => refusalOf(() => chownSync(path, uid, gid)),
  list(path) {
    try {
      const entries = readdirSync(path, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    } catch {
      return [];
    }
  },
};

/** Without O_CREAT: the kernel answers a missing interface file with EACCES otherwise. */
function writeExisting(path: string, text: string): void {
  const descriptor = openSync(path, constants.O_WRONLY);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function refusalOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return errnoOf(thrown) ?? 'UNKNOWN';
  }
}

/** Removes a cgroup and the empty ones below it. @returns false when somebody lives there */
export function removeCgroup(directory: string, files: CgroupFiles): boolean {
  for (const name of files.list(directory)) removeCgroup(join(directory, name), files);
  const errno = files.removeDirectory(directory);
  return errno === undefined || errno === 'ENOENT';
}

/** What a manager gives away with `Delegate=yes`: limits stay where they were set. */
const DELEGATED = ['cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control'] as const;

/** Lets an account make cgroups below one. @returns what was refused, one clause each */
export function delegateCgroup(directory: string, owner: Ids, files: CgroupFiles): string[] {
  const paths = [directory, ...DELEGATED.map((name) => join(directory, name))];
  return paths.flatMap((path) => {
    const errno = files.give(path, owner);
    return errno === undefined || errno === 'ENOENT'
      ? []
      : [`${path} could not be given to uid ${owner.uid} (${errno})`];
  });
}
