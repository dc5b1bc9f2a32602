import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { withEntry } from './open-entry.js';

const PASS = 0o011;
const PASS_OTHERS = 0o001;
const ALL_BITS = 0o7777;

/**
 * Lets accounts pass through the directory of our sockets to the one that is theirs; each of the
 * others is open to its own account alone. It and the one above it are ours, further up nothing is
 * changed.
 * @returns the directory that is still in the way; undefined: none
 */
export function openRuntimeDir(runtimeDir: string): string | undefined {
  for (const path of [dirname(runtimeDir), runtimeDir]) letThrough(path);
  const above: string[] = [];
  for (let at = runtimeDir; at !== above[0]; at = dirname(at)) above.unshift(at);
  return above.find((path) => (statSync(path).mode & PASS_OTHERS) === 0);
}

function letThrough(path: string): void {
  withEntry(path, 'directory', ({ stat, change }) => {
    const isOurs =
      stat.uid === process.geteuid?.() && /\/gatewarden[^/]*(?:\/[0-9a-f]+)?$/.test(path);
    if (isOurs && (stat.mode & PASS) !== PASS) {
      change(stat.uid, stat.gid, (stat.mode & ALL_BITS) | PASS);
    }
  });
}
