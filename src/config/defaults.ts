import { DEFAULT_RESTART_POLICY } from '../core/judge.js';
import { DEFAULT_WATCH_POLICY } from '../core/watch.js';
import { deepFreeze } from './freeze.js';

const SECOND_MS = 1000;

/**
 * Every value that a file may leave out, in the file's own words and units. The schema, the
 * JSON Schema, `config explain` and the loader all read it here.
 */
export const DEFAULTS = deepFreeze({
  supervisor: {
    start: {
      // a cold Node gateway with its adapters is ready in seconds; a minute is a fault
      deadline_seconds: 60,
      // one phase message may buy five minutes: a large migration, not an endless loop
      max_lease_seconds: 300,
      max_total_seconds: 900,
      // 0 = as many as there are cores: more would only slow each other down
      concurrency: 0,
      // spreads starts that an event (boot, a full reload) put in step
      jitter_seconds: 0.25,
    },
    stop: {
      // a process that has ignored the polite signal for this long will not mind it
      kill_after_seconds: 5,
    },
    storm: {
      deaths: DEFAULT_RESTART_POLICY.stormDeaths,
      window_seconds: DEFAULT_RESTART_POLICY.stormWindowMs / SECOND_MS,
    },
    log: {
      level: 'info',
      // with the number of files: at most 50 MiB of logs per profile
      max_size: '10MiB',
      files: 5,
      // a chatty gateway stays below; a loop that prints is cut before it fills the disk
      lines_per_second: 1000,
    },
    status_page: { enabled: true },
    // costs some megabytes; without it a late loop is seen once it is back
    watch_thread: false,
  },
  gateway: {
    multiplex_profiles: false,
    // they share one loop: a flood for one profile leaves the others their turn
    multiplex_max_turns: 16,
    restart_loop_guard: {
      // two may be chance; a third boot in a row that finds cut-off turns is a loop they cause
      max_restarts: 3,
      window_seconds: 60,
      max_gap_seconds: 300,
    },
  },
  restart: {
    backoff_base_seconds: DEFAULT_RESTART_POLICY.backoffBaseMs / SECOND_MS,
    backoff_cap_seconds: DEFAULT_RESTART_POLICY.backoffCapMs / SECOND_MS,
    jitter: DEFAULT_RESTART_POLICY.jitterRatio,
    healthy_after_seconds: DEFAULT_RESTART_POLICY.healthyAfterMs / SECOND_MS,
    planned_max: DEFAULT_RESTART_POLICY.plannedMax,
    planned_window_seconds: DEFAULT_RESTART_POLICY.plannedWindowMs / SECOND_MS,
    max_restarts: DEFAULT_RESTART_POLICY.maxRestarts,
    window_seconds: DEFAULT_RESTART_POLICY.maxRestartsWindowMs / SECOND_MS,
    probe_every_seconds: DEFAULT_RESTART_POLICY.probeEveryMs / SECOND_MS,
  },
  enabled: true,
  essential: false,
  // most turns end within it; a longer one is marked resumable
  drain_seconds: 30,
  // a job that is cut short is often not run again before tomorrow
  jobs_drain_seconds: 30,
  // the turn that asks for the restart is the one that must not be cut by it
  after_turn_seconds: 1800,
  interrupt_grace_seconds: 2,
  turns: {
    // silence, not duration: a turn that shows any sign of life may take all day
    inactivity_seconds: 1800,
    warning_seconds: 900,
    // a person who sees nothing for three minutes asks whether it is dead
    note_seconds: 180,
  },
  resume: {
    // who asked an hour ago has gone elsewhere by now
    freshness_seconds: 3600,
  },
  agent: {
    // answers without any key: a first run works
    driver: 'echo',
    openai: {
      base_url: 'https://api.openai.com/v1',
      // silence, not the whole answer: a streaming model that thinks says nothing for long
      timeout_seconds: 120,
      max_retries: 3,
      history_messages: 40,
      // an agent that can run commands can do whatever its account can: never by default
      tools: [],
    },
    command: {
      timeout_seconds: 600,
      history_messages: 40,
    },
  },
  platforms: {
    // off until asked for: an open port is never a surprise
    api_server: {
      enabled: false,
      host: '127.0.0.1',
      port: 8642,
      max_concurrent: 10,
      lifecycle_notices: true,
    },
    // a unix socket that only its owner can open
    local: { enabled: true, lifecycle_notices: true },
  },
  // the reasons stand at DEFAULT_WATCH_POLICY
  watchdog: {
    warn_only: DEFAULT_WATCH_POLICY.warnOnly,
    check_seconds: DEFAULT_WATCH_POLICY.sampleMs / SECOND_MS,
    warn_seconds: DEFAULT_WATCH_POLICY.warnAfterMs / SECOND_MS,
    strike_seconds: DEFAULT_WATCH_POLICY.strikeMs / SECOND_MS,
    strikes: DEFAULT_WATCH_POLICY.strikes,
    beat_seconds: DEFAULT_WATCH_POLICY.beatMs / SECOND_MS,
    silence_seconds: DEFAULT_WATCH_POLICY.silenceMs / SECOND_MS,
    prove_seconds: DEFAULT_WATCH_POLICY.proveMs / SECOND_MS,
    proven_within_seconds: DEFAULT_WATCH_POLICY.provenWithinMs / SECOND_MS,
  },
  // a program that says nothing and is still there after a second is taken for started
  ready: { started_seconds: 1 },
} as const);
