import type { Subject } from '../../../units/service.js';
import { quoteShell } from '../../../units/shell/escape.js';
import { temporaryFolderOf } from '../../../units/temporary-home.js';
import { loadConfig } from '../../config/index.js';
import type { HostConfig, LoadedConfig } from '../../config/model.js';
import type { Environment } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import { refuseForeign, refuseForeignHomeFiles } from './claims.js';
import { findOpposite, findSame, ownerOf, type Rival, removalOf } from './rivals.js';
import type { Target } from './target.js';
import type { Wanted } from './wanted.js';

/**
 * Refuses what the service itself would refuse at every start, and what would fight another one:
 * a unit that can never run is not written (field case A13).
 * @throws GatewardenError home-temporary, home-of-another-account, runs-as-command,
 *   profile-served, unit-of-another-home, unit-not-ours, unit-conflict
 */
export async function guardInstall(
  target: Target,
  wanted: Wanted,
  { env, rivals }: { readonly env: Environment; readonly rivals: readonly Rival[] },
): Promise<HostConfig['gateway']> {
  refuseTemporaryHome(target, env);
  await refuseForeignOwner(target);
  const config = loadConfig(target.home, env);
  for (const subject of target.subjects) refuseSubject(subject, config);
  refuseAllForeign(target, wanted);
  refuseConflict(target, findOpposite(rivals, target));
  return config.host.gateway;
}

/** What a test or an image build leaked must not become a unit of the host; files elsewhere may. */
export function refuseTemporaryHome({ home, isElsewhere }: Target, env: Environment): void {
  const folder = temporaryFolderOf(home, env);
  if (folder !== undefined && !isElsewhere) {
    throw new GatewardenError('home-temporary', { path: home, folder });
  }
}

/** @throws GatewardenError unit-of-another-home, unit-not-ours */
export function refuseAllForeign(target: Target, { entries, homeFiles }: Wanted): void {
  refuseForeign(
    target,
    entries.map(({ name }) => name),
    'write',
  );
  refuseForeignHomeFiles(target, homeFiles);
}

function refuseSubject(subject: Subject, config: LoadedConfig): void {
  // the supervisor starts also when some of its profiles are bad
  if (subject.kind === 'supervisor') return;
  const { profile } = subject;
  const loaded = config.profiles.get(profile);
  // nothing is wanted of one that is unknown or bad
  if (loaded?.kind !== 'good') return;
  if (loaded.config.command !== undefined)
    throw new GatewardenError('runs-as-command', { profile });
  if (!isServed(profile, config.host.gateway)) return;
  throw new GatewardenError('profile-served', {
    profile,
    owner: 'gateway.multiplex_profiles',
    hint: `install the unit of default, or take ${profile} out of gateway.multiplex_profile_allowlist`,
  });
}

/** The default gateway serves all others, or those on its list. */
export function isServed(
  profile: string,
  {
    multiplexAllowlist,
    multiplexProfiles,
  }: Pick<HostConfig['gateway'], 'multiplexAllowlist' | 'multiplexProfiles'>,
): boolean {
  if (!multiplexProfiles || profile === DEFAULT_PROFILE) return false;
  return multiplexAllowlist === undefined || multiplexAllowlist.includes(profile);
}

function refuseConflict({ home }: Target, other: Rival | undefined): void {
  if (other === undefined) return;
  const { path, subject } = other;
  throw new GatewardenError('unit-conflict', {
    what: path,
    both: subject.kind === 'supervisor' ? 'the same profile' : `profile ${subject.profile}`,
    hint: `remove that one first: ${removalOf(other, home)}`,
  });
}

/** The same service twice: both would start at boot, and one of them would lose. */
export function twinNotice(target: Target, { entries }: Wanted, rivals: readonly Rival[]) {
  if (target.isElsewhere) return undefined;
  const paths = entries.flatMap(({ files }) => files.map(({ path }) => path));
  const twin = findSame(rivals, target, paths);
  if (twin === undefined) return undefined;
  return `${twin.path} is installed too: two services of one home fight; remove one with: ${removalOf(twin, target.home)}`;
}

/** What runs as one account on the home of another is refused the home, or takes it over. */
async function refuseForeignOwner(target: Target): Promise<void> {
  const { home, isElsewhere, isOwnerChosen, manager, owner } = target;
  if (isElsewhere || isOwnerChosen || manager === 's6') return;
  const of = await ownerOf(home);
  if (of === undefined || of.uid === owner.uid) return;
  throw new GatewardenError('home-of-another-account', {
    account: owner.name,
    path: home,
    owner: of.name,
    hint: `make it a service of the host: gatewarden --home ${quoteShell(home)} units install ${manager} --system --run-as ${of.name}; or run it as ${of.name}`,
  });
}

/** @throws GatewardenError needs-root */
export function requireRights({ isElsewhere, manager, scope }: Target, what: string): void {
  if (isElsewhere || manager === 's6' || scope === 'user' || process.getuid?.() === 0) return;
  throw new GatewardenError('needs-root', {
    what: `${what} units of the host`,
    hint: 'call it with sudo, or leave --system away for a unit of your own',
  });
}
