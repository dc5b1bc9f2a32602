import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, GatewardenError } from '../src/core/errors.js';
import { identityOf } from '../src/store/process-table.js';
import type { GeneratedFile } from './generated-file.js';
import type { FileWrite, Present, PresentFile, Write } from './plan.js';
import { quoteShell } from './shell/escape.js';

const FOLDER_MODE = 0o755;

/** What is there now of these files; a file that cannot be read is an error, not an absence. */
export function readPresent(paths: readonly string[]): Present {
  const present = new Map<string, PresentFile>();
  for (const path of paths) {
    const file = readOne(path);
    if (file !== undefined) present.set(path, file);
  }
  return present;
}

function readOne(path: string): PresentFile | undefined {
  try {
    return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o7777 };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT' || errnoOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

export interface ApplyOptions {
  /** called on a folder that is complete and not yet in its place */
  readonly beforePublish?: (staging: string) => Promise<void>;
}

/**
 * Each write in one step: a manager that reads meanwhile sees the old text or the new one. What
 * fails leaves everything as it was.
 * @returns those that were done: a folder that somebody else has put there meanwhile is left to them
 */
export async function applyWrites(
  writes: readonly Write[],
  options: ApplyOptions = {},
): Promise<readonly Write[]> {
  const done: Write[] = [];
  for (const write of writes) {
    if (write.kind !== 'create-folder') applyFileWrite(write);
    else if (!(await createFolder(write.folder, write.files, options))) continue;
    done.push(write);
  }
  return done;
}

export function applyFileWrite(write: FileWrite): void {
  if (write.kind === 'chmod') chmodSync(write.file.path, write.file.mode);
  else writeFile(write.file);
}

export function writeFiles(files: readonly GeneratedFile[]): void {
  for (const file of files) writeFile(file);
}

function writeFile(file: GeneratedFile): void {
  makeFolders(dirname(file.path));
  const temporary = stagingFor(file.path);
  try {
    writeDurably(temporary, file);
    renameSync(temporary, file.path);
    syncFolder(dirname(file.path));
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw withPath(thrown, file.path);
  }
}

/** A full disk is told of a descriptor, which says nothing about where. */
function withPath(thrown: unknown, path: string): unknown {
  if (thrown instanceof Error && errnoOf(thrown) !== undefined && !('path' in thrown)) {
    return Object.assign(thrown, { path });
  }
  return thrown;
}

/** Not even for a moment readable by more than its mode allows. */
function writeDurably(path: string, { text, mode }: GeneratedFile) {
  const fd = openSync(path, 'wx', mode & 0o700);
  try {
    writeFileSync(fd, text);
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Built under a name with a dot, which s6-svscan passes over: a slot that it saw half built was
 * supervised as root (spec/supervision.md 3.3).
 * @returns whether it was us: of several at once the first one wins
 */
async function createFolder(
  folder: string,
  files: readonly GeneratedFile[],
  { beforePublish }: ApplyOptions,
): Promise<boolean> {
  makeFolders(dirname(folder));
  const staging = stagingFor(folder);
  try {
    makeFolders(staging);
    for (const file of files) {
      writeFile({ ...file, path: join(staging, file.path.slice(folder.length)) });
    }
    await beforePublish?.(staging);
    renameSync(staging, folder);
    syncFolder(dirname(folder));
    return true;
  } catch (thrown) {
    rmSync(staging, { recursive: true, force: true });
    if (errnoOf(thrown) === 'ENOTEMPTY' || errnoOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * A name with a dot, of this process alone: two that install at once must not build in one place.
 * What was left there by one that was killed is cleared.
 */
function stagingFor(path: string): string {
  const folder = dirname(path);
  const start = `.${basename(path)}.`;
  try {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(start) && isAbandoned(name.slice(start.length))) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
    }
  } catch {
    // somebody else's to clear: it is in nobody's way
  }
  return join(folder, `${start}${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
}

function isAbandoned(ending: string): boolean {
  // of earlier versions, which all built in the same place
  if (ending === 'tmp') return true;
  const [, pid] = /^(\d+)\.[0-9a-f]{8}\.tmp$/.exec(ending) ?? [];
  return pid !== undefined && identityOf(Number(pid)) === undefined;
}

/**
 * Those that are missing; what is there stays as it is.
 * @throws GatewardenError io-failed where there can be no folder: below a dangling link, in /proc
 */
function makeFolders(path: string): void {
  if (makeFolder(path)) return;
  makeFolders(dirname(path));
  if (makeFolder(path)) return;
  throw new GatewardenError('io-failed', {
    what: `cannot make the directory ${path}`,
    reason: 'a part of its path leads nowhere (ENOENT)',
    hint: `look at it: ls -ld ${quoteShell(path)}; or name another directory`,
  });
}

/** @returns whether it is there now; if not, one above it is missing */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
    return true;
  } catch (thrown) {
    // a link that leads nowhere exists, and is no folder
    if (errnoOf(thrown) === 'EEXIST')
      return statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (errnoOf(thrown) === 'ENOENT' && dirname(path) !== path) return false;
    throw thrown;
  }
}

/** So that the new name outlives a power cut too. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
