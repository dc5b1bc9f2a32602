import type { Cause, Death } from './death.js';
import { clampTimerMs } from './durations.js';

/** When and how a dead gateway is started again (design §5); times in milliseconds. */
export interface RestartPolicy {
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** 0.2 = ±20 %: fifty children must not come back in step */
  readonly jitterRatio: number;
  /** ready this long: earlier deaths are forgotten */
  readonly healthyAfterMs: number;
  /** more planned restarts than this within the window count as failures */
  readonly plannedMax: number;
  readonly plannedWindowMs: number;
  /** more deaths than this within the window raise the alarm */
  readonly stormDeaths: number;
  readonly stormWindowMs: number;
  /** counted deaths allowed within `maxRestartsWindowMs`; 0 = unlimited */
  readonly maxRestarts: number;
  readonly maxRestartsWindowMs: number;
  /** how often a crash-looping profile gets one half-open try */
  readonly probeEveryMs: number;
}

export const DEFAULT_RESTART_POLICY: RestartPolicy = Object.freeze({
  backoffBaseMs: 1000,
  backoffCapMs: 300_000,
  jitterRatio: 0.2,
  healthyAfterMs: 600_000,
  plannedMax: 10,
  plannedWindowMs: 60_000,
  stormDeaths: 5,
  stormWindowMs: 120_000,
  maxRestarts: 0,
  maxRestartsWindowMs: 600_000,
  probeEveryMs: 900_000,
});

export type ParkReason = 'config' | 'usage' | 'crash-loop';
export type RetriesOn = 'config-change' | 'operator' | 'probe';

export type Verdict =
  | { readonly kind: 'rest'; readonly storm: boolean }
  | { readonly kind: 'restart-now'; readonly storm: boolean }
  | { readonly kind: 'restart-after'; readonly delayMs: number; readonly storm: boolean }
  | {
      readonly kind: 'park';
      readonly reason: ParkReason;
      readonly retriesOn: RetriesOn;
      /** only with `retriesOn: 'probe'` */
      readonly probeAfterMs: number | undefined;
      readonly storm: boolean;
    };

/** Deaths that are kept to be judged: more than any policy looks back at. */
export const JUDGED_DEATHS = 200;

/** What is known about a profile's past when its newest generation has died. */
export interface PastDeaths {
  /** oldest first; the last one is judged. Only deaths since an operator last cleared them. */
  readonly deaths: readonly Death[];
  /** the generation that died was a half-open try of a crash-looping profile */
  readonly wasProbe: boolean;
}

/**
 * Decides what follows the newest death: rest, restart at once, restart after, park.
 * @param random uniform in [0, 1); gives the jitter
 */
export function judge(policy: RestartPolicy, past: PastDeaths, random: number): Verdict {
  const death = past.deaths.at(-1);
  if (death === undefined) return { kind: 'rest', storm: false };
  const counted = past.deaths.map((_, index) => isCounted(policy, past.deaths, index));
  const storm = isStorm(policy, past, counted);
  // the end of its server is not held against it: it comes back when that does
  if (death.servedBy !== undefined && death.cause !== 'asked')
    return { kind: 'restart-now', storm };
  if (death.cause === 'config' || death.cause === 'usage') {
    return {
      kind: 'park',
      reason: death.cause,
      retriesOn: 'config-change',
      probeAfterMs: undefined,
      storm,
    };
  }
  if (death.cause === 'asked') return { kind: 'rest', storm };
  if (!counted.at(-1)) return { kind: 'restart-now', storm };
  if (isBudgetSpent(policy, past, counted)) {
    return {
      kind: 'park',
      reason: 'crash-loop',
      retriesOn: 'probe',
      probeAfterMs: clampTimerMs(policy.probeEveryMs),
      storm,
    };
  }
  if (wasHealthy(policy, death)) return { kind: 'restart-now', storm };
  const step = deathsBeforeSinceHealthy(policy, past.deaths, counted);
  return { kind: 'restart-after', delayMs: backoffMs(policy, step, random), storm };
}

/** Back-off before jitter doubles per step and stops at the cap; jitter may exceed neither bound's ±ratio. */
export function backoffMs(policy: RestartPolicy, step: number, random: number): number {
  // the exponent is bounded so that 2ⁿ stays finite after years of dying
  const growth = 2 ** Math.min(step, 60);
  const plainMs = Math.min(policy.backoffBaseMs * growth, policy.backoffCapMs);
  const jitter = 1 + policy.jitterRatio * (2 * random - 1);
  return clampTimerMs(Math.round(plainMs * jitter));
}

/** Causes that say nothing against the gateway. */
const FREE_CAUSES: ReadonlySet<Cause> = new Set(['asked', 'planned']);

function isCounted(policy: RestartPolicy, deaths: readonly Death[], index: number): boolean {
  const death = deaths[index];
  if (death === undefined || death.servedBy !== undefined) return false;
  if (death.cause === 'planned') return isPlannedLoop(policy, deaths, index);
  return !FREE_CAUSES.has(death.cause);
}

/** Walks back only as far as it must: a loop fills its window within a few deaths. */
function isPlannedLoop(policy: RestartPolicy, deaths: readonly Death[], last: number): boolean {
  const at = deaths[last]?.at ?? 0;
  let recent = 0;
  for (let index = last; index >= 0 && recent <= policy.plannedMax; index--) {
    const death = deaths[index];
    if (death?.cause === 'planned' && isWithin(death, at, policy.plannedWindowMs)) recent++;
  }
  return recent > policy.plannedMax;
}

/** A clock that was set back leaves deaths in the future: they lie in no window. */
function isWithin(death: Death, now: number, windowMs: number): boolean {
  return death.at > now - windowMs && death.at <= now;
}

function isStorm(
  policy: RestartPolicy,
  { deaths }: PastDeaths,
  counted: readonly boolean[],
): boolean {
  const now = deaths.at(-1)?.at ?? 0;
  const recent = deaths.filter(
    (death, index) => counted[index] && isWithin(death, now, policy.stormWindowMs),
  );
  return recent.length > policy.stormDeaths;
}

function isBudgetSpent(
  policy: RestartPolicy,
  past: PastDeaths,
  counted: readonly boolean[],
): boolean {
  const death = past.deaths.at(-1);
  if (policy.maxRestarts <= 0 || death === undefined) return false;
  if (past.wasProbe && !wasHealthy(policy, death)) return true;
  const spent = past.deaths.filter(
    (one, index) => counted[index] && isWithin(one, death.at, policy.maxRestartsWindowMs),
  );
  return spent.length > policy.maxRestarts;
}

function wasHealthy(policy: RestartPolicy, death: Death): boolean {
  return death.readyMs !== undefined && death.readyMs >= policy.healthyAfterMs;
}

function deathsBeforeSinceHealthy(
  policy: RestartPolicy,
  deaths: readonly Death[],
  counted: readonly boolean[],
): number {
  let before = 0;
  for (let index = deaths.length - 2; index >= 0; index--) {
    const death = deaths[index];
    if (death === undefined || wasHealthy(policy, death)) break;
    if (counted[index]) before++;
  }
  return before;
}
