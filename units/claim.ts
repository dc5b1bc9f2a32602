import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from '../src/core/errors.js';
import { type GeneratedFile, hasGeneratedNote } from './generated-file.js';
import { readUnit } from './installed.js';
import type { Manager } from './managers.js';

/** Whose it is what stands where a unit of ours would go. */
export type Claim =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours' }
  /** of ours, without what says whose: nothing of anybody is lost when it is written again */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'other-home'; readonly home: string }
  /** in words: `a link to /srv/units/gatewarden.service` */
  | { readonly kind: 'foreign'; readonly what: string };

export interface ClaimFacts {
  readonly texts: readonly string[];
  /** there is something beside these, and it is none of ours */
  readonly hasMore: boolean;
  readonly home: string | undefined;
  readonly accountName: string | undefined;
}

/** For whom the question is put. */
export interface Claimant {
  readonly home: string;
  readonly accountName: string;
}

/** Only what says that this home is its own is ours; what says nothing at all can be taken. */
export function judgeClaim(facts: ClaimFacts, claimant: Claimant): Claim {
  const { accountName, hasMore, home, texts } = facts;
  if (home !== undefined) {
    return home === claimant.home ? { kind: 'ours' } : { kind: 'other-home', home };
  }
  const isMarked = texts.some(hasGeneratedNote);
  if (isMarked && accountName !== undefined && accountName !== claimant.accountName) {
    return { kind: 'foreign', what: `damaged, and for the account ${accountName}` };
  }
  // a crash leaves nothing, or as many zero bytes as the text had
  const isEmpty = !hasMore && texts.every((text) => /^[\s\0]*$/.test(text));
  if (isMarked || isEmpty) return { kind: 'damaged' };
  return { kind: 'foreign', what: 'none that gatewarden wrote for it' };
}

/** @param path the file, or the folder of a slot */
export function claimOf(manager: Manager, path: string, claimant: Claimant): Claim {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: 'free' };
    const shape = foreignShape(path, stats, manager === 's6');
    if (shape !== undefined) return { kind: 'foreign', what: shape };
    const hasMore = manager === 's6' && readdirSync(path).some((name) => !OF_A_SLOT.has(name));
    const read = readUnit(manager, path);
    if (read === undefined) return { kind: 'foreign', what: 'not readable' };
    const { texts, home, service } = read;
    return judgeClaim({ texts, home, hasMore, accountName: service.accountName }, claimant);
  } catch (thrown) {
    return { kind: 'foreign', what: `not readable (${errnoOf(thrown) ?? 'unknown reason'})` };
  }
}

/** The texts that are ours, and what s6 itself makes in a folder that it looks at. */
const OF_A_SLOT: ReadonlySet<string> = new Set([
  'run',
  'finish',
  'log',
  'supervise',
  'event',
  'down',
]);

/** What stands in the place of a file in the home, where it cannot be ours; undefined: nothing does. */
export function foreignHomeFile({
  keep,
  path,
}: Pick<GeneratedFile, 'keep' | 'path'>): string | undefined {
  // what is the operator's once written may also be a link to where they keep it
  const stats = (keep === true ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const shape = foreignShape(path, stats, false);
  if (shape !== undefined || keep === true) return shape;
  const text = readFileSync(path, 'utf8');
  return text === '' || hasGeneratedNote(text) ? undefined : 'none that gatewarden wrote';
}

function foreignShape(path: string, stats: Stats, isFolder: boolean): string | undefined {
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(path);
    return target === '/dev/null' ? 'a mask (a link to /dev/null)' : `a link to ${target}`;
  }
  if (isFolder ? stats.isDirectory() : stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a directory';
  return stats.isFile() ? 'a file' : 'no plain file';
}
