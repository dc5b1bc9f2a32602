import type { LoadedProfile } from '../src/config/model.js';
import { GatewardenError } from '../src/core/errors.js';
import type { StoredState } from '../src/store/index.js';
import { DeathLog, zeroCounts } from './profile/death-log.js';
import { Profile } from './profile/profile.js';
import type { ProfilePort } from './profile/profile-port.js';
import { isEnabled } from './reload/renew.js';

/** The profiles under supervision, each made with what earlier supervisors knew of it. */
export class Roster {
  readonly #profiles = new Map<string, Profile>();
  readonly #stored: StoredState;

  constructor(stored: StoredState) {
    this.#stored = stored;
  }

  get all(): readonly Profile[] {
    return [...this.#profiles.values()];
  }

  has(name: string): boolean {
    return this.#profiles.has(name);
  }

  /** @throws GatewardenError unknown-profile */
  get(name: string): Profile {
    const profile = this.#profiles.get(name);
    if (profile !== undefined) return profile;
    const known = [...this.#profiles.keys()].join(', ') || 'none';
    throw new GatewardenError('unknown-profile', { got: name, known });
  }

  add(loaded: LoadedProfile, port: ProfilePort): Profile {
    const { name } = loaded;
    const wanted = this.#stored.desired.get(name)?.desired ?? 'running';
    const profile = new Profile(
      {
        loaded,
        desired: isEnabled(loaded) ? wanted : 'stopped',
        generation: this.#stored.generations.get(name) ?? 0,
        deaths: new DeathLog({
          deaths: this.#stored.deaths.get(name) ?? [],
          counts: this.#stored.counters.get(name) ?? zeroCounts(),
        }),
      },
      port,
    );
    this.#profiles.set(name, profile);
    return profile;
  }

  /** What is known at last replaces what a start without it assumed; who was stopped is stopped. */
  adopt(stored: StoredState): void {
    for (const profile of this.#profiles.values()) {
      const counts = stored.counters.get(profile.name);
      if (counts !== undefined) profile.deaths.restoreCounts(counts);
      if (stored.desired.get(profile.name)?.desired !== 'stopped') continue;
      profile.setDesired('stopped');
      profile.apply('stop');
    }
  }

  delete(name: string): void {
    this.#profiles.delete(name);
  }
}
