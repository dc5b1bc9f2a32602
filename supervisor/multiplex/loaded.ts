import { placeGateways } from '../../src/config/index.js';
import type { LoadedConfig, ProfileConfig } from '../../src/config/model.js';
import type { GatewayPlace } from '../../src/core/moves.js';
import type { Profile } from '../profile/profile.js';
import type { Inputs } from '../reload/inputs.js';
import type { Roster } from '../roster.js';
import type { Multiplex } from './multiplex.js';

/** What each profile runs with, or will: newer files that were refused do not count. */
export function loadedOf(roster: Roster): LoadedConfig['profiles'] {
  return new Map(roster.all.map((profile) => [profile.name, profile.view().loaded]));
}

/** One whose newest files were refused keeps its place as it keeps the rest. */
export function placesOf(config: LoadedConfig, inputs: Inputs): Map<string, GatewayPlace> {
  const wanted = placeGateways(config);
  return new Map([...wanted].filter(([name]) => inputs.refusalOf(name) === undefined));
}

/** The configurations of those that the default profile's gateway serves. */
export function servedConfigs({ multiplex, profiles }: Served): ProfileConfig[] {
  return profiles.flatMap((profile) => {
    const { loaded, name } = profile.view();
    return loaded.kind === 'good' && multiplex.served.includes(name) ? [loaded.config] : [];
  });
}

interface Served {
  readonly multiplex: Multiplex;
  readonly profiles: readonly Profile[];
}
