import { secondsToMs } from '../core/durations.js';
import { Secret } from '../core/secret.js';
import { parseAddress } from './addresses.js';
import { DEFAULTS } from './defaults.js';
import type { HostConfig } from './model.js';
import type { HostFile } from './schema/host.js';
import { sizeToBytes } from './sizes.js';

/** The host's settings in milliseconds and bytes, with every default filled in. */
export function resolveHost(file: HostFile): HostConfig {
  const supervisor = file.supervisor ?? {};
  const start = { ...DEFAULTS.supervisor.start, ...supervisor.start };
  const stop = { ...DEFAULTS.supervisor.stop, ...supervisor.stop };
  const log = { ...DEFAULTS.supervisor.log, ...supervisor.log };
  const guard = { ...DEFAULTS.gateway.restart_loop_guard, ...file.gateway?.restart_loop_guard };
  const { listen, token } = supervisor.control ?? {};
  return {
    start: {
      deadlineMs: secondsToMs(start.deadline_seconds),
      maxLeaseMs: secondsToMs(start.max_lease_seconds),
      maxTotalMs: secondsToMs(start.max_total_seconds),
      concurrency: start.concurrency,
      jitterMs: secondsToMs(start.jitter_seconds),
    },
    stop: { killAfterMs: secondsToMs(stop.kill_after_seconds) },
    log: {
      level: log.level,
      maxBytes: sizeToBytes(log.max_size),
      files: log.files,
      linesPerSecond: log.lines_per_second,
    },
    watchThread: supervisor.watch_thread ?? DEFAULTS.supervisor.watch_thread,
    statusPage: { ...DEFAULTS.supervisor.status_page, ...supervisor.status_page },
    control: {
      listen: listen === undefined ? undefined : parseAddress(listen),
      token: token === undefined ? undefined : new Secret(token),
    },
    gateway: {
      multiplexProfiles: file.gateway?.multiplex_profiles ?? DEFAULTS.gateway.multiplex_profiles,
      multiplexAllowlist: file.gateway?.multiplex_profile_allowlist,
      multiplexMaxTurns: file.gateway?.multiplex_max_turns ?? DEFAULTS.gateway.multiplex_max_turns,
      restartLoopGuard: {
        maxRestarts: guard.max_restarts,
        windowMs: secondsToMs(guard.window_seconds),
        maxGapMs: secondsToMs(guard.max_gap_seconds),
      },
    },
  };
}
