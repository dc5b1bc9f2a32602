import type { Verdict } from '../../src/core/judge.js';
import type { LifecycleEvent } from '../../src/core/lifecycle.js';

export interface Circumstances {
  /** the supervisor is leaving: whatever dies rests */
  readonly halted: boolean;
  /** `up --once`: nothing is started a second time, but a refusal is still shown as one */
  readonly once: boolean;
}

/** The event that a verdict becomes, given what the supervisor is about to do. */
export function followVerdict(verdict: Verdict, { halted, once }: Circumstances): LifecycleEvent {
  switch (verdict.kind) {
    case 'rest':
      return 'died-rest';
    case 'restart-now':
      return halted || once ? 'died-rest' : 'died-restart';
    case 'restart-after':
      return halted || once ? 'died-rest' : 'died-backoff';
    case 'park':
      return halted ? 'died-rest' : 'died-park';
    default:
      return verdict satisfies never;
  }
}
