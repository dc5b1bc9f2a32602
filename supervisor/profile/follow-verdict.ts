import type { Verdict } from '../../src/core/judge.js';
import type { LifecycleEvent } from '../../src/core/lifecycle.js';

export interface Circumstances {
  /** the supervisor is leaving: whatever dies rests */
  readonly halted: boolean;
  /** an operator asked for the end of the generation that died, however it came to it */
  readonly unwanted: boolean;
  /** `up --once`: nothing is started a second time, but a refusal is still shown as one */
  readonly once: boolean;
}

/** The event that a verdict becomes, given what the supervisor is about to do. */
export function followVerdict(
  verdict: Verdict,
  { halted, unwanted, once }: Circumstances,
): LifecycleEvent {
  const rests = halted || unwanted || once;
  switch (verdict.kind) {
    case 'rest':
      return 'died-rest';
    case 'restart-now':
      return rests ? 'died-rest' : 'died-restart';
    case 'restart-after':
      return rests ? 'died-rest' : 'died-backoff';
    case 'park':
      // a half-open try would be a start that nobody wants
      return halted || (unwanted && verdict.retriesOn === 'probe') ? 'died-rest' : 'died-park';
    default:
      return verdict satisfies never;
  }
}
