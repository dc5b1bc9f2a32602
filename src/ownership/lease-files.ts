import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../core/errors.js';
import type { LeaseRecord } from '../core/lease.js';
import { parseOwner } from '../core/owner.js';
import { ensureDirectory } from '../store/directory.js';
import { writeJsonFile } from '../store/json-file.js';

/**
 * The files of a lease: one per generation, named by its number, in a directory of their own.
 * To make the next one is atomic everywhere (link fails when the name is there), so of any
 * number that try one wins, however late the others are; the highest number is the owner.
 */
export interface SeenLease extends LeaseRecord {
  /** changes with every beat, and means nothing else: the writer's clock is not ours */
  readonly beat: string;
}

const OWNER_ONLY = 0o600;

export function readLease(directory: string): SeenLease | undefined {
  const generation = highestOf(namesIn(directory));
  if (generation === 0) return undefined;
  return readGeneration(directory, generation);
}

/** false: somebody else was faster. */
export function createLease(directory: string, record: LeaseRecord): boolean {
  ensureDirectory(directory);
  const temporary = join(directory, `.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, JSON.stringify(record), { mode: OWNER_ONLY, flush: true });
    linkSync(temporary, leasePath(directory, record.generation));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** What came before ours; ours stays, so that the count never goes back. */
export function removeOlder(directory: string, generation: number): void {
  for (const name of namesIn(directory)) {
    const number = generationOf(name);
    const isOlder = number > 0 && number < generation;
    if (isOlder || name.endsWith('.tmp')) rmSync(join(directory, name), { force: true });
  }
}

export function releaseLease(directory: string, record: LeaseRecord): void {
  writeJsonFile(leasePath(directory, record.generation), { ...record, isReleased: true });
}

/**
 * One beat, by the file's time: it needs no free space and never touches another's file.
 * Never blocks the loop, also where the volume hangs. @returns the highest generation there is
 */
export async function beatLease(directory: string, record: LeaseRecord): Promise<number> {
  const highest = highestOf(await readdir(directory));
  if (highest > record.generation) return highest;
  const file = await open(leasePath(directory, record.generation), 'r+');
  try {
    const now = new Date();
    await file.utimes(now, now);
  } finally {
    await file.close();
  }
  return highest;
}

function readGeneration(directory: string, generation: number): SeenLease | undefined {
  try {
    // opened first: that is when a network file system asks its server for the newest time
    const fd = openSync(leasePath(directory, generation), 'r');
    try {
      const { ino, mtimeNs } = fstatSync(fd, { bigint: true });
      const record = parseLease(JSON.parse(readFileSync(fd, 'utf8')), generation);
      return record && { ...record, beat: `${ino}-${mtimeNs}` };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A record that cannot be read still counts by its number: nobody may go below it. */
export function nextGeneration(directory: string): number {
  return highestOf(namesIn(directory)) + 1;
}

function parseLease(raw: unknown, generation: number): LeaseRecord | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { beatEveryMs, isReleased, owner: rawOwner } = raw as Readonly<Record<string, unknown>>;
  const owner = parseOwner(rawOwner);
  if (owner === undefined || typeof beatEveryMs !== 'number') return undefined;
  return { generation, owner, beatEveryMs, isReleased: isReleased === true };
}

function leasePath(directory: string, generation: number): string {
  return join(directory, `${generation}.json`);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function highestOf(names: readonly string[]): number {
  return names.reduce((highest, name) => Math.max(highest, generationOf(name)), 0);
}

function generationOf(name: string): number {
  const [, digits] = /^([1-9]\d{0,14})\.json$/.exec(name) ?? [];
  return Number(digits ?? 0);
}
