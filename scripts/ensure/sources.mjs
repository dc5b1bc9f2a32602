// Tells whether dist/ was built from the sources as they are: by content, because a checkout
// or a copy gives files any time stamp.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SOURCE_FOLDERS = ['src', 'supervisor', 'units', 'test', 'bench'];

/** What a build reads besides the source folders. */
const OTHER_INPUTS = ['scripts/build.mjs', 'package-lock.json'];

/** Without these there is nothing to run, whatever the stamp says. */
const WANTED_OUTPUTS = ['dist/bin/cli.js', 'dist/bin/gateway.js'];

const stampFile = (root) => join(root, 'dist', '.built-from');

export function isBuildFresh(root) {
  if (!WANTED_OUTPUTS.every((file) => existsSync(join(root, file)))) return false;
  try {
    return readFileSync(stampFile(root), 'utf8') === sourceHash(root);
  } catch {
    return false;
  }
}

/** @param hash taken before the build began: what changed meanwhile makes the next one build again */
export function writeBuildStamp(root, hash) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile(root), hash);
}

export function sourceHash(root) {
  const hash = createHash('sha256');
  for (const file of [
    ...SOURCE_FOLDERS.flatMap((folder) => filesIn(root, folder)),
    ...OTHER_INPUTS,
  ]) {
    hash.update(file).update('\0');
    hash.update(readFileSync(join(root, file))).update('\0');
  }
  return hash.digest('hex');
}

/** TypeScript files below a folder, as paths from the root, in a stable order. */
export function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}
