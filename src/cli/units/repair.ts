import { quoteShell } from '../../../units/shell/escape.js';
import { temporaryFolderOf } from '../../../units/temporary-home.js';
import type { Environment } from '../../config/paths.js';
import { errnoOf, GatewardenError, messageOf } from '../../core/errors.js';
import type { Context } from '../verb.js';
import { managerOf } from './choose-manager.js';
import { refuseForeign, refuseForeignHomeFiles } from './claims.js';
import { findDrift, isCurrent, removeDrift, writtenPaths } from './current.js';
import { findOwnUnits, type OwnUnit } from './own-units.js';
import type { Target } from './target.js';
import { wantedUnits } from './wanted.js';

/** What became of a unit that may be stale. */
export type Repair =
  | { readonly kind: 'current' }
  | {
      readonly kind: 'repaired';
      readonly paths: readonly string[];
      /** why the manager does not know yet, and the next step; undefined: it does, or need not */
      readonly untold: string | undefined;
    }
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
  if (temporaryFolderOf(target.home, env) !== undefined) return { kind: 'current' };
  try {
    const wanted = wantedUnits(target, env, '/bin/sh');
    refuseForeignHomeFiles(target, wanted.homeFiles);
    const drift = findDrift(target, wanted);
    if (isCurrent(drift)) return { kind: 'current' };
    const isUnitStale = drift.units.length > 0;
    if (isUnitStale) refuseForeign(target, [unit.name], 'write');
    const unread = isUnitStale && unit.subject.kind === 'supervisor' ? wanted.unread : [];
    if (unread.length > 0) {
      return { kind: 'unknown', because: `${unread.join(', ')}: the configuration is bad` };
    }
    const paths = writtenPaths(await removeDrift(target, wanted, false));
    // a manager has read the unit, and never what the unit starts
    return { kind: 'repaired', paths, untold: isUnitStale ? await settle(target, env) : undefined };
  } catch (thrown) {
    const errno = errnoOf(thrown instanceof GatewardenError ? thrown.cause : thrown);
    if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') {
      return { kind: 'stale', next: remedyFor(unit) };
    }
    if (thrown instanceof GatewardenError) return { kind: 'unknown', because: thrown.message };
    throw thrown;
  }
}

async function settle(target: Target, env: Environment): Promise<string | undefined> {
  try {
    const manager = managerOf(target, env);
    const found = await manager.preflight();
    if (found.kind === 'ready') await manager.settle([]);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return `${thrown.message}; ${thrown.next}`;
  }
}

/** Every unit of the home, for whoever starts something in it. What goes wrong ends nothing. */
export async function repairInstalled({ env, home, terminal }: Context): Promise<void> {
  try {
    for (const unit of await findOwnUnits(home, env)) {
      const told = describeRepair(unit, await repairUnit(unit, env));
      if (told !== undefined) terminal.notice(`notice: ${told}`);
    }
  } catch (thrown) {
    terminal.notice(`notice: its units could not be looked at: ${messageOf(thrown)}`);
  }
}

export function remedyFor({ subject, target }: OwnUnit): string {
  const profile = subject.kind === 'gateway' ? ` --profile ${subject.profile}` : '';
  const sudo = target.scope === 'system' && process.getuid?.() !== 0 ? 'sudo ' : '';
  return `${sudo}gatewarden --home ${quoteShell(target.home)} units install ${target.manager} --${target.scope}${profile}`;
}

/** In one line for whoever is at the terminal; undefined: nothing to tell. */
export function describeRepair(unit: OwnUnit, repair: Repair): string | undefined {
  switch (repair.kind) {
    case 'current':
      return undefined;
    case 'repaired':
      return `${unit.name} was stale and is written again (${repair.paths.length} of its files); it counts from the next start on${repair.untold === undefined ? '' : `, as soon as ${unit.target.manager} knows: ${repair.untold}`}`;
    case 'stale':
      return `${unit.path} is not what would be installed now; cure it with: ${repair.next}`;
    case 'unknown':
      return `whether ${unit.path} is stale cannot be told: ${repair.because}`;
    default:
      return repair satisfies never;
  }
}
