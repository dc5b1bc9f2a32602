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

/** Refuses every enabled profile that listens where an earlier one (by name), or the supervisor, does. */
export function refuseCollisions(
  profiles: readonly ReadProfile[],
  control: HostConfig['control'],
): ReadProfile[] {
  const taken: Listener[] = [];
  if (control.listen !== undefined) {
    taken.push({ owner: 'supervisor.control.listen has', address: control.listen });
  }
  return profiles.map((read) => {
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
