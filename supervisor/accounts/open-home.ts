import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GROUP_AND_OTHERS, OTHERS } from '../../src/config/open-file.js';
import { homeLayout } from '../../src/config/paths.js';
import { withEntry } from './open-entry.js';

const PASS_FOR_ALL = 0o011;
const READ_FOR_OTHERS = 0o044;
const ALL_BITS = 0o7777;

/** Whoever passes through a home on the way to its profile needs these as well. */
const STAYS_OPEN: ReadonlySet<string> = new Set(['profiles', 'bin']);

/**
 * Lets accounts pass through the home to their own profiles and see nothing else: the home and
 * `profiles/` can be passed through and not listed, and everything beside the way is closed.
 */
export function openHome(home: string): void {
  const { envFile, logsDir, profilesDir, stateDir } = homeLayout(home);
  for (const path of [stateDir, logsDir]) clear(path, 'directory', GROUP_AND_OTHERS);
  clear(envFile, 'file', GROUP_AND_OTHERS);
  for (const name of readdirSync(profilesDir)) clear(join(profilesDir, name), 'directory', OTHERS);
  if (!canPass(home)) closeInside(home);
  for (const path of [profilesDir, home]) letThrough(path);
}

/** What was as good as closed by the home around it stays closed when that opens. */
function closeInside(home: string): void {
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (STAYS_OPEN.has(entry.name)) continue;
    if (entry.isDirectory()) clear(join(home, entry.name), 'directory', OTHERS);
    if (entry.isFile()) clear(join(home, entry.name), 'file', OTHERS);
  }
}

function canPass(path: string): boolean {
  return withEntry(path, 'directory', ({ stat }) => (stat.mode & 0o001) !== 0) === true;
}

function letThrough(path: string): void {
  withEntry(path, 'directory', ({ stat, change }) => {
    const mode = (stat.mode & ALL_BITS & ~READ_FOR_OTHERS) | PASS_FOR_ALL;
    if (mode !== (stat.mode & ALL_BITS)) change(stat.uid, stat.gid, mode);
  });
}

/** A link, or what is of another kind, is whatever its operator made of it. */
function clear(path: string, kind: 'directory' | 'file', bits: number): void {
  try {
    withEntry(path, kind, ({ stat, change }) => {
      const isKind = kind === 'directory' ? stat.isDirectory() : stat.isFile();
      if (isKind && (stat.mode & bits) !== 0) {
        change(stat.uid, stat.gid, stat.mode & ALL_BITS & ~bits);
      }
    });
  } catch {
    // not a directory, or a link
  }
}
