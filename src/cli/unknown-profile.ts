import { GatewardenError } from '../core/errors.js';
import { knownProfiles } from './known-profiles.js';

export function unknownProfile(got: string, home: string): GatewardenError {
  const known = knownProfiles(home).join(', ') || 'none';
  return new GatewardenError('unknown-profile', { got, known });
}
