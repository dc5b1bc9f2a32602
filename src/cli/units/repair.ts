import { temporaryFolderOf } from '../../../units/temporary-home.js';
import type { Environment } from '../../config/paths.js';
import { errnoOf, GatewardenError } from '../../core/errors.js';
import { managerOf } from './choose-manager.js';
import { refuseForeign, refuseForeignHomeFiles } from './claims.js';
import { findDrift, isCurrent, removeDrift, writtenPaths } from './current.js';
import type { OwnUnit } from './own-units.js';
import { wantedUnits } from './wanted.js';

/** What became of a unit that may be stale. */
export type Repair =
  | { readonly kind: 'current' }
  | { readonly kind: 'repaired'; readonly paths: readonly string[] }
  /** it is stale, and this account may not write it */
  | { readonly kind: 'stale'; readonly next: string }
  /** what it should be cannot be told */
  | { readonly kind: 'unknown'; readonly because: string };

/**
 * Writes a unit of ours again where it is not what we would install now: after an upgrade, a
 * longer drain, a moved package. A restart by exit code never passes through an install.
 */
export async function repairUnit(unit: OwnUnit, env: Environment): Promise<Repair> {
  const { target } = unit;
  // a test's home in a unit of the host is not to be made better
  if (temporaryFolderOf(target.home) !== undefined) return { kind: 'current' };
  try {
    const wanted = wantedUnits(target, env, '/bin/sh');
    refuseForeignHomeFiles(target, wanted.homeFiles);
    if (isCurrent(findDrift(target, wanted))) return { kind: 'current' };
    refuseForeign(target, [unit.name], 'write');
    const paths = writtenPaths(await removeDrift(target, wanted, false));
    const manager = managerOf(target, env);
    const found = await manager.preflight();
    if (found.kind === 'ready') await manager.settle([]);
    return { kind: 'repaired', paths };
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') {
      return { kind: 'stale', next: remedyFor(unit) };
    }
    if (thrown instanceof GatewardenError) return { kind: 'unknown', because: thrown.message };
    throw thrown;
  }
}

export function remedyFor({ subject, target }: OwnUnit): string {
  const profile = subject.kind === 'gateway' ? ` --profile ${subject.profile}` : '';
  const sudo = target.scope === 'system' && process.getuid?.() !== 0 ? 'sudo ' : '';
  return `${sudo}gatewarden --home ${target.home} units install ${target.manager} --${target.scope}${profile}`;
}

/** In one line for whoever is at the terminal; undefined: nothing to tell. */
export function describeRepair(unit: OwnUnit, repair: Repair): string | undefined {
  switch (repair.kind) {
    case 'current':
      return undefined;
    case 'repaired':
      return `${unit.name} was stale and is written again (${repair.paths.length} of its files); it counts from the next start on`;
    case 'stale':
      return `${unit.path} is not what would be installed now; cure it with: ${repair.next}`;
    case 'unknown':
      return `whether ${unit.path} is stale cannot be told: ${repair.because}`;
    default:
      return repair satisfies never;
  }
}
