import type { Gauge, Registry } from 'prom-client';
import { CAUSES } from '../core/death.js';
import { PROFILE_STATES } from '../core/lifecycle.js';
import type { ProfileStatus, StatusReport } from '../core/status.js';

interface MetricRow {
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every metric there is; docs/metrics lists the same names (tested both ways). */
export const METRICS = {
  gatewarden_info: {
    type: 'gauge',
    help: 'Always 1; says which version runs and how.',
    labels: ['version', 'manager', 'containment'],
  },
  gatewarden_start_time_seconds: {
    type: 'gauge',
    help: 'When the supervisor started, in seconds since the epoch.',
    labels: [],
  },
  gatewarden_health: {
    type: 'gauge',
    help: '1 for the health the supervisor is in, 0 for the others.',
    labels: ['health'],
  },
  gatewarden_notices: {
    type: 'gauge',
    help: 'Number of things that are wrong with the supervisor itself.',
    labels: [],
  },
  gatewarden_events_total: {
    type: 'counter',
    help: 'Events since the supervisor started, by code.',
    labels: ['code'],
  },
  gatewarden_profile_state: {
    type: 'gauge',
    help: '1 for the state the profile is in, 0 for the others.',
    labels: ['profile', 'state'],
  },
  gatewarden_profile_desired: {
    type: 'gauge',
    help: '1 when an operator wants the profile to run.',
    labels: ['profile'],
  },
  gatewarden_profile_generation: {
    type: 'gauge',
    help: 'Number of the newest spawn of the profile.',
    labels: ['profile'],
  },
  gatewarden_profile_deaths_total: {
    type: 'counter',
    help: 'Deaths of the profile by cause; survives restarts of the supervisor.',
    labels: ['profile', 'cause'],
  },
  gatewarden_profile_storm: {
    type: 'gauge',
    help: '1 while the profile dies more often than its storm limit.',
    labels: ['profile'],
  },
  gatewarden_profile_parked: {
    type: 'gauge',
    help: '1 while the profile is parked, with the reason.',
    labels: ['profile', 'reason'],
  },
  gatewarden_profile_work_active: {
    type: 'gauge',
    help: 'Things in progress that a drain would wait for.',
    labels: ['profile'],
  },
  gatewarden_profile_platform_connected: {
    type: 'gauge',
    help: '1 when the platform is connected.',
    labels: ['profile', 'platform'],
  },
  gatewarden_profile_cpu_percent: {
    type: 'gauge',
    help: 'CPU use of the profile; 100 is one core.',
    labels: ['profile'],
  },
  gatewarden_profile_resident_bytes: {
    type: 'gauge',
    help: 'Resident memory of the profile.',
    labels: ['profile'],
  },
  gatewarden_profile_processes: {
    type: 'gauge',
    help: 'Processes of the profile.',
    labels: ['profile'],
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as MetricName[];

/** Prometheus text of one moment. Loads prom-client only when somebody scrapes. */
export async function renderMetrics(
  report: StatusReport,
  eventCounts: Readonly<Record<string, number>>,
): Promise<string> {
  // bundled, a CommonJS package has only its default export
  const { Counter, Gauge, Registry } = (await import('prom-client')).default;
  const registry = new Registry();
  const samples = collectSamples(report, eventCounts);
  for (const name of METRIC_NAMES) {
    const { type, help, labels } = METRICS[name];
    const options = { name, help, labelNames: labels, registers: [registry as Registry] };
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
    // a counter of this moment starts at 0, so adding the value sets it
    for (const sample of samples[name]) (metric as Gauge).inc(sample.labels, sample.value);
  }
  return await registry.metrics();
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

const HEALTHS = ['ok', 'degraded', 'down'] as const;

function collectSamples(
  { supervisor, profiles }: StatusReport,
  eventCounts: Readonly<Record<string, number>>,
): Samples {
  const { version, manager, containment, health } = supervisor;
  const each = (toSamples: (profile: ProfileStatus) => readonly Sample[]) =>
    profiles.flatMap(toSamples);
  const value = (read: (profile: ProfileStatus) => number | null) =>
    each((profile) => one({ profile: profile.name }, read(profile)));
  return {
    gatewarden_info: one({ version, manager, containment }, 1),
    gatewarden_start_time_seconds: one({}, Date.parse(supervisor.startedAt) / 1000),
    gatewarden_health: HEALTHS.flatMap((name) => one({ health: name }, flag(name === health))),
    gatewarden_notices: one({}, supervisor.notices.length),
    gatewarden_events_total: Object.entries(eventCounts).flatMap(([code, n]) => one({ code }, n)),
    gatewarden_profile_state: each(stateSamples),
    gatewarden_profile_desired: value((profile) => flag(profile.desired === 'running')),
    gatewarden_profile_generation: value((profile) => profile.generation),
    gatewarden_profile_deaths_total: each(deathSamples),
    gatewarden_profile_storm: value((profile) => flag(profile.storm)),
    gatewarden_profile_parked: each(({ name, parked }) =>
      parked === null ? [] : one({ profile: name, reason: parked.reason }, 1),
    ),
    gatewarden_profile_work_active: value((profile) => profile.work.active),
    gatewarden_profile_platform_connected: each(platformSamples),
    gatewarden_profile_cpu_percent: value((profile) => profile.resources.cpuPercent),
    gatewarden_profile_resident_bytes: value((profile) => profile.resources.rssBytes),
    gatewarden_profile_processes: value((profile) => profile.resources.processes),
  };
}

function stateSamples({ name, state }: ProfileStatus): Sample[] {
  return PROFILE_STATES.flatMap((each) =>
    one({ profile: name, state: each }, flag(each === state)),
  );
}

function deathSamples({ name, restarts }: ProfileStatus): Sample[] {
  return CAUSES.flatMap((cause) => one({ profile: name, cause }, restarts[cause]));
}

function platformSamples({ name, platforms }: ProfileStatus): Sample[] {
  return platforms.flatMap((platform) =>
    one({ profile: name, platform: platform.name }, flag(platform.state === 'connected')),
  );
}

/** What is not known has no sample: 0 would be a lie. */
function one(labels: Readonly<Record<string, string>>, value: number | null): Sample[] {
  return value === null || !Number.isFinite(value) ? [] : [{ labels, value }];
}

function flag(is: boolean): number {
  return is ? 1 : 0;
}
