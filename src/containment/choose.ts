import type { ContainmentGrant } from '../core/assignment.js';
import type { Containment } from './port.js';
import { SessionContainment } from './session/session-containment.js';

export interface ContainmentFacts {
  /** every process's GATEWARDEN_SCOPE begins with it, followed by `:` and the scope's name */
  readonly tag: string;
  /** the leaf that the caller itself moves into, so that it does not live in an inner node */
  readonly leaf: 'supervisor' | 'gateway';
  /** names the subtree that is made where others live too; the same for every start of one home */
  readonly treeName: string;
}

/** Takes the strongest rung that this host offers and says why not a stronger one. */
export function chooseContainment(facts: ContainmentFacts): Containment {
  return new SessionContainment(facts.tag, 'cgroups are not used yet');
}

/**
 * For a gateway under a supervisor: the rung was chosen there, and its scopes stand beside the
 * gateway's own leaf.
 */
export function inheritContainment(grant: ContainmentGrant, tag: string): Containment {
  const because = grant.weakerBecause ?? 'cgroups are not used yet';
  return new SessionContainment(tag, because, grant.memoryBytesPerProcess);
}
