// Tells whether dist/ was built from the sources as they are: by content, because a checkout
// or a copy gives files any time stamp.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SOURCE_FOLDERS = ['src', 'supervisor', 'units', 'test', 'bench'];

/** What a build reads besides the source folders. */
const OTHER_INPUTS = ['scripts/build.mjs', 'package-lock.json'];

/** Without these there is nothing to run, whatever the stamp says. */
const WANTED_OUTPUTS = ['dist/bin/cli.js', 'dist/bin/gateway.js'];

const stampFile = (root) => join(root, 'dist', '.built-from');

export function isBuildFresh(root) {
  if (!WANTED_OUTPUTS.every((file) => existsSync(join(root, file)))) return false;
  const built = readStamp(root);
  if (built === undefined) return false;
  const stats = statsOf(root);
  // reading a thousand files takes longer than looking at them
  if (built.stats === stats) return true;
  if (built.hash !== hashOf(root)) return false;
  writeBuildStamp(root, { hash: built.hash, stats });
  return true;
}

/** What a build that begins now is made from; what changes meanwhile makes the next one build again. */
export function takeStock(root) {
  return { stats: statsOf(root), hash: hashOf(root) };
}

export function writeBuildStamp(root, stock) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile(root), JSON.stringify(stock));
}

function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampFile(root), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Changes with every write to a source, also one that leaves its size and its time stamp. */
function statsOf(root) {
  const hash = createHash('sha256');
  for (const file of inputs(root)) {
    const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, file));
    hash.update([file, size, mtimeMs, ctimeMs, ino].join('\0'));
  }
  return hash.digest('hex');
}

function hashOf(root) {
  const hash = createHash('sha256');
  for (const file of inputs(root)) {
    hash.update(file).update('\0');
    hash.update(readFileSync(join(root, file))).update('\0');
  }
  return hash.digest('hex');
}

function inputs(root) {
  return [...SOURCE_FOLDERS.flatMap((folder) => filesIn(root, folder)), ...OTHER_INPUTS];
}

/** TypeScript files below a folder, as paths from the root, in a stable order. */
export function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}
