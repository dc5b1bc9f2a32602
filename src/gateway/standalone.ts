import type { GatewayAssignment } from '../core/assignment.js';
import type { DrainReason } from '../core/ipc.js';
import type { GatewayReport } from '../core/work.js';
import { DRAIN_POLICY } from './drain.js';
import type { Gateway } from './gateway.js';
import { lastWordsOf } from './last-words.js';
import { createStandaloneLink } from './link/standalone.js';
import { createLog } from './log.js';
import { runGateway } from './run.js';
import type { GatewayTimings } from './timings.js';

export interface StandaloneOptions {
  /** told once, when it serves: where `READY=1` and the like are sent from */
  readonly onReady?: (report: GatewayReport) => void;
  readonly onPhase?: (phase: string, leaseMs: number) => void;
  /** told when a drain begins */
  readonly onStopping?: (reason: DrainReason) => void;
  readonly timings?: Partial<GatewayTimings>;
}

/** What a signal asks for; a second one of either kind hurries. */
const SIGNALS = { SIGTERM: 'stop', SIGINT: 'stop', SIGUSR2: 'restart' } as const;

/**
 * One gateway in the foreground, without a supervisor: binds by itself, listens to signals.
 * @returns the exit code; what a refusal has to say is on standard error by then
 */
export async function runStandaloneGateway(
  assignment: GatewayAssignment,
  options: StandaloneOptions = {},
): Promise<number> {
  const start = new AbortController();
  let leaving: DrainReason | undefined;
  let gateway: Gateway | undefined;
  let beginDrain: (reason: DrainReason) => void = () => {};
  const asked = new Promise<DrainReason>((resolve) => {
    beginDrain = resolve;
  });
  const handlers = Object.entries(SIGNALS).map(([signal, reason]) => {
    const handler = () => {
      if (leaving !== undefined) return gateway?.hurry();
      leaving = reason;
      options.onStopping?.(reason);
      start.abort();
      beginDrain(reason);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  try {
    const log = createLog((line) => process.stdout.write(line), {
      pid: process.pid,
      profile: assignment.profile,
    });
    const link = createStandaloneLink(earsOf(options));
    const { signal } = start;
    const timings = options.timings ?? {};
    gateway = await runGateway(assignment, link, { log, signal, timings });
    return await gateway.drain(await asked, assignment.drainMs);
  } catch (thrown) {
    if (leaving !== undefined && start.signal.aborted && gateway === undefined) {
      return DRAIN_POLICY[leaving].exitCode;
    }
    const words = lastWordsOf(thrown);
    process.stderr.write(words.text);
    return words.exitCode;
  } finally {
    for (const remove of handlers) remove();
  }
}

function earsOf({
  onReady,
  onPhase,
}: StandaloneOptions): Parameters<typeof createStandaloneLink>[0] {
  return {
    phase: (phase, leaseMs) => onPhase?.(phase, leaseMs),
    ready: (report) => onReady?.(report),
    report: () => {},
    degraded: () => {},
    recovered: () => {},
  };
}
