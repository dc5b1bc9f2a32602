import type { Cause, Death } from '../../src/core/death.js';

/** A death as the supervisor records it; everything that a test does not care about is filled in. */
export function aDeath(fields: Partial<Death> = {}): Death {
  return {
    profile: 'coder',
    generation: 1,
    pid: 4711,
    outcome: { kind: 'code', code: 1 },
    cause: 'failure',
    uptimeMs: 800,
    readyMs: undefined,
    at: 1_764_439_200_000,
    detail: undefined,
    remedy: undefined,
    evidence: undefined,
    ...fields,
  };
}

/** Deaths of one cause at the given times. */
export function deathsAt(cause: Cause, times: readonly number[]): Death[] {
  return times.map((at, index) => aDeath({ cause, at, generation: index + 1 }));
}

/** `count` times, `stepMs` apart, the first at `fromMs`. */
export function times(count: number, stepMs: number, fromMs = 0): number[] {
  return Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
}
