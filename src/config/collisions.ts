import { addressesCollide, renderAddress, type TcpAddress } from './addresses.js';
import { type ReadProfile, refuseProfile } from './load-profile.js';
import type { HostConfig } from './model.js';
import { problemAt, SECRET_SHOWN } from './problems.js';
import { placeOf, valueAt } from './tree.js';

interface Listener {
  /** names the address too, where it may be shown */
  readonly owner: string;
  readonly address: TcpAddress;
}

/**
 * Refuses every enabled profile that listens where an earlier one (by name), or the supervisor,
 * does, or that owns what an earlier one owns.
 */
export function refuseCollisions(
  profiles: readonly ReadProfile[],
  control: HostConfig['control'],
): ReadProfile[] {
  const taken: Listener[] = [];
  if (control.listen !== undefined) {
    taken.push({ owner: 'supervisor.control.listen has', address: control.listen });
  }
  const identities = new Map<string, string>();
  return profiles.map((one) => {
    const read = refuseSharedIdentity(one, identities);
    const address = listenerOf(read);
    if (address === undefined) return read;
    const owner = taken.find((listener) => addressesCollide(listener.address, address));
    if (owner !== undefined) return refuseProfile(read, collision(read, address, owner));
    taken.push({
      owner: `profile ${read.profile.name} has (${shownAddress(read, address)})`,
      address,
    });
    return read;
  });
}

/** Two gateways with one account would take each other's messages (field case A12). */
function refuseSharedIdentity(read: ReadProfile, taken: Map<string, string>): ReadProfile {
  const { profile } = read;
  if (profile.kind === 'bad' || !profile.config.enabled) return read;
  const owned = Object.entries(profile.config.owns).map(
    ([scope, identity]) => [scope, `${scope} ${identity.reveal()}`] as const,
  );
  const shared = owned.find(([, key]) => taken.has(key));
  if (shared === undefined) {
    for (const [, key] of owned) taken.set(key, profile.name);
    return read;
  }
  const path = ['owns', shared[0]];
  const problem = problemAt(placeOf(read.tree, path), path, {
    expected: `an account of profile ${profile.name} alone`,
    got: `the one that profile ${taken.get(shared[1])} has`,
    hint: 'give each profile a credential of its own, or disable one of the two',
  });
  return refuseProfile(read, problem);
}

function listenerOf({ profile }: ReadProfile): TcpAddress | undefined {
  if (profile.kind === 'bad' || !profile.config.enabled) return undefined;
  return profile.config.platforms.apiServer;
}

function collision(read: ReadProfile, address: TcpAddress, taken: Listener) {
  const path = ['platforms', 'api_server', 'port'];
  return problemAt(placeOf(read.tree, path), path, {
    expected: `an address for profile ${read.profile.name} that nobody else listens on`,
    got: `${shownAddress(read, address)}, which ${taken.owner}`,
    hint: 'choose another port; 0 takes any free one',
  });
}

function shownAddress({ tree }: ReadProfile, address: TcpAddress): string {
  const values = ['host', 'port'].map((key) => valueAt(tree, ['platforms', 'api_server', key]));
  const isSecret = values.some((value) => value?.kind === 'scalar' && value.secret);
  return isSecret ? SECRET_SHOWN : renderAddress(address);
}
