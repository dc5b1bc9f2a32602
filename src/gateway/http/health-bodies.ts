import type { GatewayHealth } from '../platforms/port.js';

/** Liveness: it answers, so it lives; also while it starts or drains. */
export function renderLiveness({ profile, version, phase }: GatewayHealth): object {
  return { status: phase === 'draining' ? 'draining' : 'ok', profile, version };
}

/** Readiness with everything that a person or a probe wants to know. */
export function renderReadiness(health: GatewayHealth): object {
  const { profile, version, phase, trouble, report } = health;
  return {
    status: phase === 'ready' && trouble !== undefined ? 'degraded' : phase,
    ready: phase === 'ready',
    draining: phase === 'draining',
    profile,
    version,
    detail: trouble ?? null,
    platforms: report.platforms.map(({ name, state, detail }) => ({
      name,
      state,
      detail: detail ?? null,
    })),
    work: { active: report.work.length, units: report.work },
    listen: report.listen,
  };
}
