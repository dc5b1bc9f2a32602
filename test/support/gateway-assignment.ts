import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServerSettings, GatewayAssignment } from '../../src/core/assignment.js';
import { gatewayBudgets } from '../../src/core/budgets.js';
import { DEFAULT_WATCH_POLICY } from '../../src/core/watch.js';

export const API: ApiServerSettings = {
  host: '127.0.0.1',
  port: 0,
  key: undefined,
  model: 'gatewarden',
  maxConcurrent: 10,
};

/** No jobs; everything else as a configuration without a word about it has it. */
const { drainMs: _, ...BUDGETS } = gatewayBudgets({
  drainMs: 5000,
  jobsDrainMs: 0,
  afterTurnMs: 1_800_000,
  interruptGraceMs: 2000,
  isProgram: false,
});

interface Teardown {
  teardown(action: () => void): unknown;
}

/** A short directory of its own (socket paths are limited), removed after the test. */
export function shortDir(t: Teardown): string {
  const directory = mkdtempSync(join(tmpdir(), 'gw-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An echo gateway with both platforms, in the given home. */
export function assignmentIn(
  home: string,
  changes: Partial<GatewayAssignment> = {},
): GatewayAssignment {
  return {
    profile: 'default',
    generation: 1,
    home,
    stateDir: join(home, 'state'),
    localSocket: join(home, 'local.sock'),
    agent: { driver: 'echo' },
    apiServer: API,
    drainMs: 5000,
    budgets: BUDGETS,
    watchdog: DEFAULT_WATCH_POLICY,
    inactivity: { limitMs: 0, warningMs: 0, noteMs: 0 },
    resume: { freshnessMs: 0, loopGuard: { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 } },
    lifecycleNotices: ['api-server', 'local'],
    env: { PATH: process.env.PATH ?? '' },
    secrets: [],
    toolMemoryBytes: undefined,
    containment: undefined,
    ...changes,
  };
}
