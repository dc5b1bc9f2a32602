import type { GuardFacts } from '../../src/core/guard.js';
import type { Owner } from '../../src/core/owner.js';

export function ownerAt(pid: number): Owner {
  return {
    identity: { pid, startTicks: 5, bootId: 'b' },
    home: '/h',
    profile: 'coder',
    startedAt: 0,
  };
}

/** A lone gateway of a profile that nobody owns. */
export const PLAIN_FACTS: GuardFacts = {
  action: 'run',
  profile: 'coder',
  own: undefined,
  supervisor: undefined,
  multiplexer: undefined,
  configuration: { multiplexes: false, allowlist: undefined },
  managedBy: undefined,
  flags: { force: false, replace: false, supervisedChild: false },
  isOwnAncestor: false,
};
