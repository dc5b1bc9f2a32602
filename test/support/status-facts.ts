import { type BudgetSettings, hostChain } from '../../src/core/budgets.js';
import { CAUSES, type Cause, type Death } from '../../src/core/death.js';
import type { ProfileStatus, RestartCounters, StatusReport } from '../../src/core/status.js';

/** The moment at which every rendering of a test is looked at. */
export const NOW_MS = Date.UTC(2026, 0, 31, 12, 0, 0);

export function isoBefore(ageMs: number): string {
  return new Date(NOW_MS - ageMs).toISOString();
}

export function counters(counts: Partial<Record<Cause, number>> = {}): RestartCounters {
  const all = Object.fromEntries(CAUSES.map((cause) => [cause, counts[cause] ?? 0]));
  const total = Object.entries(counts)
    .filter(([cause]) => cause !== 'asked')
    .reduce((sum, [, count]) => sum + count, 0);
  return { ...all, total } as unknown as RestartCounters;
}

/** A ready profile; a test names only what differs. */
export function aProfile(differs: Partial<ProfileStatus> = {}): ProfileStatus {
  return {
    name: 'coder',
    kind: 'built-in',
    desired: 'running',
    essential: false,
    account: null,
    state: 'ready',
    pid: 4711,
    generation: 7,
    since: isoBefore(11_520_000),
    readySince: isoBefore(11_520_000),
    phase: null,
    restarts: counters(),
    storm: false,
    lastExit: null,
    next: null,
    parked: null,
    served: null,
    move: null,
    held: null,
    work: { active: 0, units: [] },
    platforms: [{ name: 'local', state: 'connected', detail: null }],
    resources: {
      cpuPercent: 0.4,
      rssBytes: 54_525_952,
      processes: 3,
      containment: 'session+tag',
    },
    listen: [],
    lastLines: [],
    notices: [],
    ...differs,
  };
}

/** As a configuration without a word about them has them. */
export const BUDGET_SETTINGS: BudgetSettings = {
  drainMs: 30_000,
  jobsDrainMs: 30_000,
  afterTurnMs: 1_800_000,
  interruptGraceMs: 2000,
  killAfterMs: 5000,
  isProgram: false,
};

export function aReport(...profiles: readonly ProfileStatus[]): StatusReport {
  return {
    supervisor: {
      pid: 4242,
      version: '0.1.0',
      startedAt: isoBefore(11_520_000),
      manager: 'terminal',
      containment: 'session+tag',
      weakerBecause: 'no cgroup v2 hierarchy is mounted',
      state: 'running',
      health: 'ok',
      budgets: hostChain([BUDGET_SETTINGS]).rows,
      notices: [],
    },
    profiles,
  };
}

export function aDeath(differs: Partial<Death> = {}): Death {
  return {
    profile: 'coder',
    generation: 6,
    pid: 4700,
    outcome: { kind: 'code', code: 1 },
    cause: 'failure',
    uptimeMs: 812,
    readyMs: undefined,
    at: NOW_MS - 3000,
    detail: "KeyError: 'TOKEN'",
    remedy: undefined,
    evidence: undefined,
    ...differs,
  };
}
