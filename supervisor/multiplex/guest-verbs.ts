import { GatewardenError } from '../../src/core/errors.js';
import type { Verb } from '../../src/core/events.js';
import type { Profile } from '../profile/profile.js';

/**
 * A part of another process is neither stopped nor restarted by itself (spec/supervision.md 4.2).
 * @throws GatewardenError served-not-alone
 */
export function refuseForGuest(profile: Profile, verb: Verb): void {
  const server = profile.view().run?.generation?.servedBy;
  if (server === undefined) return;
  throw new GatewardenError('served-not-alone', { profile: profile.name, server, verb });
}
