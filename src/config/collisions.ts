import { addressesCollide, renderAddress, type TcpAddress } from './addresses.js';
import { type ReadProfile, refuseProfile } from './load-profile.js';
import type { HostConfig } from './model.js';
import { problemAt } from './problems.js';
import { placeOf } from './tree.js';

interface Listener {
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
    taken.push({ owner: 'supervisor.control.listen', address: control.listen });
  }
  return profiles.map((read) => {
    const address = listenerOf(read);
    if (address === undefined) return read;
    const owner = taken.find((listener) => addressesCollide(listener.address, address));
    if (owner !== undefined) return refuseProfile(read, collision(read, address, owner));
    taken.push({ owner: `profile ${read.profile.name}`, address });
    return read;
  });
}

function listenerOf({ profile }: ReadProfile): TcpAddress | undefined {
  if (profile.kind === 'bad' || !profile.config.enabled) return undefined;
  return profile.config.platforms.apiServer;
}

function collision({ profile, tree }: ReadProfile, address: TcpAddress, taken: Listener) {
  const path = ['platforms', 'api_server', 'port'];
  return problemAt(placeOf(tree, path), path, {
    expected: `an address for profile ${profile.name} that nobody else listens on`,
    got: `${renderAddress(address)}, which ${taken.owner} has (${renderAddress(taken.address)})`,
    hint: 'choose another port; 0 takes any free one',
  });
}
