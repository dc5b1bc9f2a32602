import type { Scope } from '../../src/containment/index.js';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import { EXIT } from '../../src/core/exit-codes.js';
import { DEFAULT_PROFILE } from '../../src/core/names.js';
import { SCOPE_VARIABLE } from '../../src/core/scope.js';
import type { Generation, GenerationListener } from '../generation/generation.js';
import type { Guests } from '../generation/guests.js';
import { neverBegun } from '../generation/never-begun.js';

export interface GuestSpawn {
  readonly assignment: GatewayAssignment;
  /** of its tools */
  readonly scope: Scope;
  /** undefined: its server ended a moment ago */
  readonly guests: Guests | undefined;
}

/** Makes the default profile's gateway be this profile too. */
export function spawnGuestGeneration(
  { assignment, scope, guests }: GuestSpawn,
  listener: GenerationListener,
): Generation {
  // its tools are told from its server's by their own tag
  const env = { ...assignment.env, [SCOPE_VARIABLE]: scope.tag };
  if (guests !== undefined)
    return guests.admit({ assignment: { ...assignment, env }, scope }, listener);
  const facts = {
    number: assignment.generation,
    scope,
    servedBy: DEFAULT_PROFILE,
    exitCode: EXIT.planned,
    detail: `the gateway of ${DEFAULT_PROFILE} has just ended`,
    remedy: '',
  };
  return neverBegun(facts, listener);
}
