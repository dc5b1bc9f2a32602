import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyFileWrite, applyWrites, readPresent } from '../../../units/apply.js';
import { asAccount } from '../../../units/as-account.js';
import { type FileWrite, planFile, planWrites, type Write } from '../../../units/plan.js';
import { seedSlot } from '../../../units/s6/ask-s6.js';
import { DOWN_FILE } from '../../../units/s6/policy.js';
import type { Account } from '../../../units/service.js';
import { quoteShell } from '../../../units/shell/escape.js';
import { errnoOf, GatewardenError } from '../../core/errors.js';
import { refuseForeign } from './claims.js';
import type { Target } from './target.js';
import type { Wanted } from './wanted.js';

/** What separates the disk from what is wanted. */
export interface Drift {
  readonly units: readonly Write[];
  readonly home: readonly FileWrite[];
}

export function findDrift(target: Target, wanted: Wanted): Drift {
  const files = wanted.entries.flatMap((entry) => entry.files);
  const folders = target.manager === 's6' ? slotFolders(wanted).filter(isFree) : [];
  const homePresent = readPresent(wanted.homeFiles.map(({ path }) => path));
  return {
    units: planWrites({ files, folders }, readPresent(files.map(({ path }) => path))),
    home: wanted.homeFiles.flatMap((file) => planFile(file, homePresent.get(file.path))),
  };
}

export function isCurrent({ home, units }: Drift): boolean {
  return home.length === 0 && units.length === 0;
}

/**
 * Writes what differs.
 * @param startsDown a slot that is new waits for a verb: it is born so, for s6-svscan may see it at once
 * @returns what was written by us; several installs at once each write a part, or nothing
 */
export async function removeDrift(
  target: Target,
  wanted: Wanted,
  startsDown: boolean,
): Promise<Drift> {
  const drift = findDrift(target, wanted);
  removeHomeDrift(target, drift);
  const { manager, mustBecomeOwner, owner } = target;
  const isSeeded = manager === 's6' && mustBecomeOwner && process.getuid?.() === 0;
  const units = await applyWrites(drift.units, {
    beforePublish: async (slot) => {
      if (startsDown) writeFileSync(join(slot, DOWN_FILE), '');
      if (isSeeded) await seedSlot(slot, owner);
    },
  });
  if (units.length === drift.units.length) return drift;
  // another install was first with a slot: what is still different in it is written over
  refuseForeign(
    target,
    wanted.entries.map(({ name }) => name),
    'write',
  );
  const rest = await removeDrift(target, wanted, startsDown);
  return { home: [...drift.home, ...rest.home], units: [...units, ...rest.units] };
}

/** What units name and what stands in the home. @returns the paths that were written */
export function removeHomeDrift({ owner }: Target, { home }: Drift): readonly string[] {
  for (const write of home) {
    try {
      asAccount(owner, () => applyFileWrite(write));
    } catch (thrown) {
      throw ownershipError(thrown, write.file.path, owner) ?? thrown;
    }
  }
  return home.flatMap(pathsOf);
}

/** Root writes there as the account, which may not touch what root, or another one, has left. */
function ownershipError(thrown: unknown, path: string, owner: Account) {
  const errno = errnoOf(thrown);
  if (process.geteuid?.() !== 0 || (errno !== 'EACCES' && errno !== 'EPERM')) return undefined;
  const foreign = [path, dirname(path)].find(
    (one) => (lstatSync(one, { throwIfNoEntry: false })?.uid ?? owner.uid) !== owner.uid,
  );
  if (foreign === undefined) return undefined;
  return new GatewardenError(
    'io-failed',
    {
      what: `cannot write ${path} as ${owner.name}`,
      reason: `${foreign} belongs to another account (${errno})`,
      hint: `give it to ${owner.name}: chown ${owner.name}: ${quoteShell(foreign)}`,
    },
    { cause: thrown },
  );
}

/** In the order in which they were written. */
export function writtenPaths({ home, units }: Drift): readonly string[] {
  return [...home, ...units].flatMap(pathsOf);
}

export function pathsOf(write: Write): readonly string[] {
  return write.kind === 'create-folder' ? write.files.map(({ path }) => path) : [write.file.path];
}

/** What somebody left there stays: then what is missing is written beside it. */
function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return true;
    throw thrown;
  }
}

/** A slot is published whole. */
function slotFolders({ entries }: Wanted): readonly string[] {
  return entries.flatMap(({ files }) =>
    files.filter(({ path }) => path.endsWith('/finish')).map(({ path }) => dirname(path)),
  );
}
