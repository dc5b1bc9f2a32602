import { managerFolder } from '../../../units/folders.js';
import { type InstalledUnit, readInstalled } from '../../../units/installed.js';
import type { Subject } from '../../../units/service.js';
import { temporaryFolderOf } from '../../../units/temporary-home.js';
import { loadConfig } from '../../config/index.js';
import type { HostConfig, LoadedConfig } from '../../config/model.js';
import type { Environment } from '../../config/paths.js';
import { countProblems, renderProblems } from '../../config/problems.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import { unknownProfile } from '../unknown-profile.js';
import { refuseForeign, refuseForeignHomeFiles } from './claims.js';
import type { Target } from './target.js';
import type { Wanted } from './wanted.js';

/**
 * Refuses what the service itself would refuse at every start, and what would fight another one:
 * a unit that can never run is not written (field case A13).
 * @throws GatewardenError home-temporary, config-invalid, unknown-profile, runs-as-command,
 *   profile-served, unit-of-another-home, unit-not-ours, unit-conflict
 */
export function guardInstall(
  target: Target,
  wanted: Wanted,
  env: Environment,
): HostConfig['gateway'] {
  refuseTemporaryHome(target);
  const config = loadConfig(target.home, env);
  for (const subject of target.subjects) refuseSubject(subject, target.home, config);
  refuseAllForeign(target, wanted);
  refuseConflict(target, readInstalled(target.manager, target.folder));
  return config.host.gateway;
}

/** What a test or an image build leaked must not become a unit of the host; files elsewhere may. */
export function refuseTemporaryHome({ home, isElsewhere }: Target): void {
  const folder = temporaryFolderOf(home);
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

function refuseSubject(subject: Subject, home: string, config: LoadedConfig): void {
  // the supervisor starts also when some of its profiles are bad
  if (subject.kind === 'supervisor') return;
  const { profile } = subject;
  const loaded = config.profiles.get(profile);
  if (loaded === undefined) throw unknownProfile(profile, home);
  if (loaded.kind === 'bad') {
    throw new GatewardenError('config-invalid', {
      count: countProblems(loaded.problems),
      problems: renderProblems(loaded.problems),
      hint: 'correct it and check it with: gatewarden config check',
    });
  }
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

/** A supervisor runs every profile of its home: a gateway's own unit would never get its lock. */
function refuseConflict({ home, subjects }: Target, installed: readonly InstalledUnit[]): void {
  const wantsSupervisor = subjects.some((subject) => subject.kind === 'supervisor');
  const other = installed.find(
    (unit) => unit.home === home && isSupervisor(unit) !== wantsSupervisor,
  );
  if (other === undefined) return;
  throw new GatewardenError('unit-conflict', {
    what: other.name,
    both: wantsSupervisor ? 'the profile of that unit' : 'the same profile',
    hint: wantsSupervisor
      ? 'remove those of the gateways first: gatewarden units uninstall MANAGER --all-profiles'
      : 'remove that of the supervisor first: gatewarden units uninstall MANAGER',
  });
}

function isSupervisor({ service }: InstalledUnit): boolean {
  return service.argv?.includes('up') === true;
}

/** The same unit in the other scope: both would start at boot, and one of them would lose. */
export function otherScopeNotice(target: Target, { entries }: Wanted, env: Environment) {
  if (target.manager !== 'systemd' || target.isElsewhere) return undefined;
  const scope = target.scope === 'user' ? 'system' : 'user';
  const folder = managerFolder(target.manager, scope, { env, accountHome: target.owner.home });
  const names = entries.map(({ name }) => name);
  const twin = readInstalled(target.manager, folder).find(
    ({ home, name }) => names.includes(name) && home === target.home,
  );
  if (twin === undefined) return undefined;
  return `${twin.path} is installed too: two services of one home fight; remove one with: gatewarden units uninstall systemd --${scope}`;
}

/** @throws GatewardenError needs-root */
export function requireRights({ isElsewhere, manager, scope }: Target, what: string): void {
  if (isElsewhere || manager === 's6' || scope === 'user' || process.getuid?.() === 0) return;
  throw new GatewardenError('needs-root', {
    what: `${what} units of the host`,
    hint: 'call it with sudo, or leave --system away for a unit of your own',
  });
}
