import { dirname } from 'node:path';
import { applyFileWrite, applyWrites, readPresent } from '../../../units/apply.js';
import { asAccount } from '../../../units/as-account.js';
import { type FileWrite, planFile, planWrites, type Write } from '../../../units/plan.js';
import { seedSlot } from '../../../units/s6/ask-s6.js';
import type { Target } from './target.js';
import type { Wanted } from './wanted.js';

/** What separates the disk from what is wanted. */
export interface Drift {
  readonly units: readonly Write[];
  readonly home: readonly FileWrite[];
}

export function findDrift(target: Target, wanted: Wanted): Drift {
  const files = wanted.entries.flatMap((entry) => entry.files);
  const folders = target.manager === 's6' ? slotFolders(wanted) : [];
  const homePresent = readPresent(wanted.homeFiles.map(({ path }) => path));
  return {
    units: planWrites({ files, folders }, readPresent(files.map(({ path }) => path))),
    home: wanted.homeFiles.flatMap((file) => planFile(file, homePresent.get(file.path))),
  };
}

export function isCurrent({ home, units }: Drift): boolean {
  return home.length === 0 && units.length === 0;
}

/** @returns the paths that were written */
export async function removeDrift(target: Target, drift: Drift): Promise<readonly string[]> {
  const inHome = removeHomeDrift(target, drift);
  const { manager, mustBecomeOwner, owner } = target;
  const seeds = manager === 's6' && mustBecomeOwner && process.getuid?.() === 0;
  await applyWrites(drift.units, seeds ? { beforePublish: (slot) => seedSlot(slot, owner) } : {});
  return [...inHome, ...drift.units.flatMap(pathsOf)];
}

/** What units name and what stands in the home. @returns the paths that were written */
export function removeHomeDrift({ owner }: Target, { home }: Drift): readonly string[] {
  asAccount(owner, () => home.forEach(applyFileWrite));
  return home.flatMap(pathsOf);
}

export function pathsOf(write: Write): readonly string[] {
  return write.kind === 'create-folder' ? write.files.map(({ path }) => path) : [write.file.path];
}

/** A slot is published whole. */
function slotFolders({ entries }: Wanted): readonly string[] {
  return entries.flatMap(({ files }) =>
    files.filter(({ path }) => path.endsWith('/finish')).map(({ path }) => dirname(path)),
  );
}
