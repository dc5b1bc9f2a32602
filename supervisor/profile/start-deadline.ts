/** How long a start may take; all milliseconds (design §5). */
export interface StartPolicy {
  readonly deadlineMs: number;
  readonly maxLeaseMs: number;
  readonly maxTotalMs: number;
}

/** The first deadline of a generation. */
export function firstDeadline(spawnedAt: number, policy: StartPolicy): number {
  return spawnedAt + Math.min(policy.deadlineMs, policy.maxTotalMs);
}

/**
 * A phase message with a lease moves the deadline to `now + lease`, never back, by at most
 * `maxLeaseMs` at a time and never beyond `maxTotalMs` after the spawn.
 */
export function extendDeadline(
  facts: { spawnedAt: number; deadlineAt: number; now: number; leaseMs: number },
  policy: StartPolicy,
): number {
  const leaseMs = Math.max(0, Math.min(facts.leaseMs, policy.maxLeaseMs));
  const wanted = Math.max(facts.deadlineAt, facts.now + leaseMs);
  return Math.min(wanted, facts.spawnedAt + policy.maxTotalMs);
}
