import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../src/config/paths.js';
import { errnoOf } from '../src/core/errors.js';

/** What a reboot, a logout or a cleaner empties; macOS has its own, behind links. */
const TEMPORARY = [
  '/tmp',
  '/var/tmp',
  '/dev/shm',
  '/run',
  '/var/run',
  '/private/tmp',
  '/private/var/tmp',
  '/private/var/run',
  '/var/folders',
  '/private/var/folders',
];

/** The folder that makes a home temporary, also behind links: what a test leaked must never become a unit. */
export function temporaryFolderOf(
  home: string,
  { XDG_RUNTIME_DIR }: Environment = {},
): string | undefined {
  const folders = XDG_RUNTIME_DIR?.startsWith('/') ? [...TEMPORARY, XDG_RUNTIME_DIR] : TEMPORARY;
  const real = withoutLinks(home);
  return folders.find((folder) =>
    [folder, withoutLinks(folder)].some((one) => isIn(one, home) || isIn(one, real)),
  );
}

function isIn(folder: string, path: string): boolean {
  return folder !== '/' && (path === folder || path.startsWith(`${folder}/`));
}

/** Of a home that is not there yet, as far as its path leads. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    const isMissing = errnoOf(thrown) === 'ENOENT' && dirname(path) !== path;
    return isMissing ? join(withoutLinks(dirname(path)), basename(path)) : path;
  }
}
