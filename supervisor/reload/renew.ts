import { configInvalid } from '../../src/config/config-invalid.js';
import type { LoadedConfig, LoadedProfile } from '../../src/config/model.js';
import { GatewardenError } from '../../src/core/errors.js';
import type { Profile } from '../profile/profile.js';
import type { Inputs } from './inputs.js';

/** What a renewed profile asks the supervisor to remember as an operator's wish. */
export type Wish = (profile: Profile, desired: 'running' | 'stopped') => void;

export interface Renewal {
  readonly by: string;
  /** it is about to be started again elsewhere, with what it is given here */
  readonly willMove: (profile: string) => boolean;
}

/**
 * Gives a profile its newly read inputs. A running gateway is replaced in a planned restart, a
 * failed one gets a try, a bad configuration never replaces a good one that runs.
 * @returns whether the profile was touched
 */
export function renewProfile(
  profile: Profile,
  loaded: LoadedProfile,
  effects: Pick<Renewal, 'willMove'> & { readonly inputs: Inputs; readonly wish: Wish },
): boolean {
  if (loaded.kind === 'bad' && profile.isActive) {
    effects.inputs.refuse(loaded);
    return false;
  }
  effects.inputs.accept(profile.name);
  if (isFailed(profile)) {
    profile.retry(loaded);
    return true;
  }
  const wasEnabled = isEnabled(profile.view().loaded);
  profile.setLoaded(loaded);
  if (!isEnabled(loaded)) {
    effects.wish(profile, 'stopped');
    return profile.apply('stop');
  }
  if (profile.isActive) return effects.willMove(profile.name) || profile.apply('restart');
  if (wasEnabled) return true; // an operator stopped it: it stays down, with the new inputs
  effects.wish(profile, 'running');
  return profile.apply('start');
}

/**
 * What a reload of one profile has to take; undefined: its files are what it has, or gone.
 * @throws GatewardenError config-invalid: the last good configuration stays in force
 */
export function changedInputs(profile: Profile, inputs: Inputs): LoadedProfile | undefined {
  const outcome = inputs.read();
  if (outcome.kind === 'refused') throw outcome.error;
  const onDisk = outcome.config.profiles;
  const { loaded: inForce } = profile.view();
  inputs.acceptUnchanged(new Map([[profile.name, inForce]]), onDisk);
  const loaded = onDisk.get(profile.name);
  if (loaded?.fingerprint === inForce.fingerprint) return undefined;
  if (loaded?.kind === 'bad' && profile.isActive) {
    inputs.refuse(loaded);
    throw configInvalid(
      loaded.problems,
      'correct it and reload again; the last good configuration stays in force',
    );
  }
  return loaded;
}

/** An operator's start or restart uses what is on disk now, when it can be used. */
export function takeFreshInputs(profile: Profile, inputs: Inputs, verb: 'start' | 'restart'): void {
  // one that runs already is not moved by a start
  if (verb === 'restart' || !profile.isActive) inputs.adoptPlaceOf(profile.name);
  const loaded = inputs.readProfile(profile.name);
  if (loaded === undefined) return;
  if (loaded.kind === 'bad' && profile.isActive) {
    inputs.refuse(loaded);
    return;
  }
  inputs.accept(profile.name);
  profile.setLoaded(loaded);
}

/**
 * Files changed: whoever failed with the old ones gets one try with the new ones.
 * @param place told of what was read before anybody is started with it
 */
export function retryChanged(
  profiles: readonly Profile[],
  inputs: Inputs,
  place: (fresh: LoadedConfig) => void,
): void {
  const outcome = inputs.read();
  if (outcome.kind === 'refused') return;
  place(outcome.config);
  for (const profile of profiles) {
    const loaded = outcome.config.profiles.get(profile.name);
    const view = profile.view();
    const failedWith = view.parked?.fingerprint ?? view.loaded.fingerprint;
    if (loaded === undefined || loaded.fingerprint === failedWith) continue;
    if (!isFailed(profile)) continue;
    inputs.accept(profile.name);
    profile.retry(loaded);
  }
}

export function isFailed(profile: Profile): boolean {
  return profile.state === 'parked' || profile.state === 'backoff';
}

/** @throws GatewardenError profile-disabled */
export function refuseDisabled(profile: Profile, inputs: Inputs): void {
  const loaded = inputs.readProfile(profile.name) ?? profile.view().loaded;
  if (!isEnabled(loaded)) throw new GatewardenError('profile-disabled', { profile: profile.name });
}

/** A configuration that cannot be read does not say that it is disabled. */
export function isEnabled(loaded: LoadedProfile): boolean {
  return loaded.kind === 'bad' || loaded.config.enabled;
}
