import { type Death, describeOutcome } from '../../src/core/death.js';
import type { ParkReason, RetriesOn, Verdict } from '../../src/core/judge.js';

/** Down on purpose, with a reason, until the cause or an operator changes that. */
export interface Parked {
  readonly reason: ParkReason;
  readonly detail: string;
  readonly remedy: string;
  /** epoch milliseconds */
  readonly since: number;
  readonly retriesOn: RetriesOn;
  /** of the inputs it was parked with; another one earns an automatic try */
  readonly fingerprint: string;
}

export interface ParkFacts {
  readonly profile: string;
  readonly verdict: Extract<Verdict, { kind: 'park' }>;
  readonly death: Death;
  readonly fingerprint: string;
}

export function parkedBy(facts: ParkFacts): Parked {
  const { verdict, death } = facts;
  return {
    reason: verdict.reason,
    detail: death.detail ?? `it ended with ${describeOutcome(death.outcome)} and said nothing`,
    remedy: death.remedy ?? remedyFor(facts),
    since: death.at,
    retriesOn: verdict.retriesOn,
    fingerprint: facts.fingerprint,
  };
}

function remedyFor({ profile, verdict }: ParkFacts): string {
  switch (verdict.reason) {
    case 'config':
      return `correct its configuration; it is tried again by itself when a file of it changes, or with: gatewarden start ${profile}`;
    case 'usage':
      return `correct its arguments; it is tried again by itself when a file of it changes, or with: gatewarden start ${profile}`;
    case 'crash-loop':
      return `look at its output (gatewarden logs ${profile}), mend the cause, then: gatewarden start ${profile}`;
    default:
      return verdict.reason satisfies never;
  }
}
