import { lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../../src/core/errors.js';
import { type EntryFacts, judgeEntry } from './judge-entry.js';
import { type OpenEntry, withEntry } from './open-entry.js';

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** What keeps a tree from being handed over, for an operator. */
export interface Obstacle {
  readonly path: string;
  readonly got: string;
}

const PRIVATE_DIRECTORY = 0o700;
/** On a directory that root has taken from another account: that account's things are still in it. */
const UNDER_WAY = 0o1000;
const OWNER_BITS = 0o700;
const ALL_BITS = 0o7777;

/** A state directory holds dozens; one that was filled on purpose must not stop the supervisor. */
const MAX_ENTRIES = 50_000;

/**
 * Makes a directory of a trusted one, with all that is in it, an account's alone; makes it if it
 * is not there. What is the account's already is not looked at again.
 *
 * Directories are taken by root from the top down, each before it is read, so that nobody changes
 * what is looked at; they are given from the bottom up, so that nobody reaches them before all is
 * done. When this is cut short the directory is root's, and the next call goes on.
 * @returns what is in the way; undefined: done
 */
export function handOver(directory: string, to: Ids): Obstacle | undefined {
  try {
    makeDirectory(directory);
    return withEntry(directory, 'directory', (entry) => handOverOpen(directory, entry, to));
  } catch (thrown) {
    if (thrown instanceof Stopped) return thrown.obstacle;
    return { path: directory, got: GOT[errnoOf(thrown) ?? ''] ?? messageOf(thrown) };
  }
}

/** What opening a directory without following a link meets. */
const GOT: Readonly<Record<string, string>> = {
  ELOOP: 'a symbolic link',
  ENOTDIR: 'a link or a file instead of the directory',
};

/** Root has to look at each of these itself: everything of it is as it was, but closed to others. */
class Stopped extends Error {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle) {
    super(obstacle.got);
    this.obstacle = obstacle;
  }
}

function handOverOpen(directory: string, entry: OpenEntry, to: Ids): undefined {
  const { gid, mode, uid } = entry.stat;
  const isTaken = (mode & UNDER_WAY) !== 0;
  if (uid === to.uid && !isTaken) {
    if (gid !== to.gid || (mode & ALL_BITS) !== PRIVATE_DIRECTORY) {
      entry.change(to.uid, to.gid, PRIVATE_DIRECTORY);
    }
    return;
  }
  const isTrusted = uid === 0 && !isTaken;
  if (!isTrusted) takeOver(entry);
  new Walk(to, isTrusted).below(directory);
  entry.change(to.uid, to.gid, PRIVATE_DIRECTORY);
}

/** The mark stands before the owner changes: a tree of root without it counts as trusted. */
function takeOver(entry: OpenEntry): void {
  entry.change(entry.stat.uid, entry.stat.gid, PRIVATE_DIRECTORY | UNDER_WAY);
  entry.change(0, 0, PRIVATE_DIRECTORY | UNDER_WAY);
}

class Walk {
  readonly #to: Ids;
  readonly #isTrusted: boolean;
  #seen = 0;

  constructor(to: Ids, isTrusted: boolean) {
    this.#to = to;
    this.#isTrusted = isTrusted;
  }

  below(directory: string): void {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (++this.#seen > MAX_ENTRIES) this.#stop(path, `more than ${MAX_ENTRIES} entries`);
      this.#one(path);
    }
  }

  #one(path: string): void {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const { kind } = factsOf(stat);
    if (kind === 'directory') withEntry(path, 'directory', (entry) => this.#directory(path, entry));
    else if (kind === 'file') withEntry(path, 'file', (entry) => this.#file(path, entry));
    else this.#judge(path, stat);
  }

  #directory(path: string, entry: OpenEntry): void {
    if (!this.#isTrusted) takeOver(entry);
    this.below(path);
    entry.change(this.#to.uid, this.#to.gid, PRIVATE_DIRECTORY);
  }

  /** Judged by what was opened: the name may be another thing's by now. */
  #file(path: string, entry: OpenEntry): void {
    if (!this.#judge(path, entry.stat)) return;
    entry.change(this.#to.uid, this.#to.gid, entry.stat.mode & OWNER_BITS);
  }

  /** @returns whether it is to be given */
  #judge(path: string, stat: Stats): boolean {
    const facts = { isTrusted: this.#isTrusted, toUid: this.#to.uid };
    const verdict = judgeEntry(factsOf(stat), facts);
    if (verdict.kind === 'refuse') this.#stop(path, verdict.got);
    return verdict.kind === 'give';
  }

  #stop(path: string, got: string): never {
    throw new Stopped({ path, got });
  }
}

function factsOf(stat: Stats): EntryFacts {
  return { kind: kindOf(stat), uid: stat.uid, names: stat.nlink };
}

function kindOf(stat: Stats): EntryFacts['kind'] {
  if (stat.isDirectory()) return 'directory';
  if (stat.isFile()) return 'file';
  if (stat.isSymbolicLink()) return 'link';
  return stat.isSocket() ? 'socket' : 'other';
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE_DIRECTORY });
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown;
  }
}
