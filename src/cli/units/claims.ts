import { basename, dirname, join } from 'node:path';
import { asAccount } from '../../../units/as-account.js';
import { type Claim, claimOf, foreignHomeFile } from '../../../units/claim.js';
import type { GeneratedFile } from '../../../units/generated-file.js';
import { quoteShell } from '../../../units/shell/escape.js';
import { GatewardenError } from '../../core/errors.js';
import type { Target } from './target.js';

/** What is meant to be done with what stands there. */
export type Use = 'write' | 'remove';

/**
 * Only what says that it is of this home is stopped, removed or written again. What is damaged can
 * be written; to stop it would be to stop whatever the manager remembers under that name.
 * @throws GatewardenError unit-of-another-home, unit-not-ours
 */
export function refuseForeign(target: Target, names: readonly string[], use: Use): void {
  const claimant = { home: target.home, accountName: target.owner.name };
  for (const name of names) {
    const path = entryPath(target, name);
    refuseClaim(claimOf(target.manager, path, claimant), { target, name, path, use });
  }
}

interface Asked {
  readonly target: Target;
  readonly name: string;
  readonly path: string;
  readonly use: Use;
}

function refuseClaim(claim: Claim, asked: Asked): void {
  const { path, use } = asked;
  const { home } = asked.target;
  switch (claim.kind) {
    case 'free':
    case 'ours':
      return;
    case 'damaged':
      if (use === 'write') return;
      throw new GatewardenError('unit-not-ours', {
        path,
        home,
        what: 'damaged and does not say whose it is',
        hint: `write it again with the same command and install; or ${moveAway(asked)}`,
      });
    case 'other-home':
      throw new GatewardenError('unit-of-another-home', { path, home, owner: claim.home });
    case 'foreign': {
      const { what } = claim;
      throw new GatewardenError('unit-not-ours', { path, home, what, hint: remedy(what, asked) });
    }
    default:
      claim satisfies never;
  }
}

function remedy(what: string, asked: Asked): string {
  const { scope } = asked.target;
  if (!what.startsWith('a mask')) return moveAway(asked);
  return `take it away: systemctl${scope === 'user' ? ' --user' : ''} unmask ${asked.name}`;
}

/** To a name that its manager passes over. */
function moveAway({ path, target }: Asked): string {
  const to =
    target.manager === 's6' ? join(dirname(path), `.${basename(path)}.old`) : `${path}.old`;
  return moveHint(path, to);
}

function moveHint(path: string, to: string): string {
  return `move it away yourself: mv ${quoteShell(path)} ${quoteShell(to)}`;
}

/** The home is ours, but not whatever somebody put into it. @throws GatewardenError unit-not-ours */
export function refuseForeignHomeFiles(
  { home, owner }: Target,
  files: readonly GeneratedFile[],
): void {
  for (const file of files) {
    const what = asAccount(owner, () => foreignHomeFile(file));
    if (what === undefined) continue;
    const { path } = file;
    const hint = moveHint(path, `${path}.old`);
    throw new GatewardenError('unit-not-ours', { path, home, what, hint });
  }
}

function entryPath({ folder, manager }: Target, name: string): string {
  return join(folder, manager === 'launchd' ? `${name}.plist` : name);
}
