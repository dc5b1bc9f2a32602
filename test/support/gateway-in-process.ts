import type { GatewayAssignment } from '../../src/core/assignment.js';
import type { GatewayReport } from '../../src/core/work.js';
import type { Gateway } from '../../src/gateway/gateway.js';
import { createStandaloneLink } from '../../src/gateway/link/standalone.js';
import { createLog } from '../../src/gateway/log.js';
import { runGateway } from '../../src/gateway/run.js';
import type { GatewayTimings } from '../../src/gateway/timings.js';
import type { TurnObserver } from '../../src/gateway/turns/observer.js';
import { assignmentIn, shortDir } from './gateway-assignment.js';

interface Test {
  teardown(action: () => unknown): unknown;
}

export interface RunningGateway {
  readonly gateway: Gateway;
  readonly home: string;
  readonly url: string;
  readonly socket: string;
  readonly logLines: readonly string[];
  readonly told: readonly string[];
  readonly reports: readonly GatewayReport[];
}

export interface Start {
  readonly home?: string;
  readonly assignment?: Partial<GatewayAssignment>;
  readonly timings?: Partial<GatewayTimings>;
  readonly observer?: TurnObserver;
}

/** A whole gateway in the test's own process, with real sockets and a real store. */
export async function startGateway(t: Test, start: Start = {}): Promise<RunningGateway> {
  const home = start.home ?? shortDir(t);
  const logLines: string[] = [];
  const told: string[] = [];
  const reports: GatewayReport[] = [];
  const link = createStandaloneLink({
    phase: (phase) => told.push(`phase ${phase}`),
    ready: (report) => {
      told.push('ready');
      reports.push(report);
    },
    report: (report) => reports.push(report),
    degraded: (detail) => told.push(`degraded ${detail}`),
    recovered: () => told.push('recovered'),
    restartWanted: (detail) => told.push(`restart wanted: ${detail}`),
    turnCrowded: ({ turn, processes }) => told.push(`crowded ${turn} ${processes}`),
  });
  const gateway = await runGateway(assignmentIn(home, start.assignment), link, {
    log: createLog((line) => logLines.push(line), {}),
    signal: new AbortController().signal,
    ...(start.observer === undefined ? {} : { observer: start.observer }),
    timings: { closeGraceMs: 200, interruptGraceMs: 500, reportIntervalMs: 1, ...start.timings },
  });
  t.teardown(() => {
    gateway.hurry();
    return gateway.drain('stop', 0);
  });
  const listen = reports[0]?.listen ?? [];
  return {
    gateway,
    home,
    url: listen.find((where) => where.startsWith('http')) ?? '',
    socket: (listen.find((where) => where.startsWith('unix:')) ?? '').slice('unix:'.length),
    logLines,
    told,
    reports,
  };
}
