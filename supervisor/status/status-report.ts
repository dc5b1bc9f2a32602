import type { Death } from '../../src/core/death.js';
import type { MoveStatus, ProfileStatus } from '../../src/core/status.js';
import type { Hold } from '../../src/core/work.js';
import type { ProfileView } from '../profile/profile-view.js';
import type { Usage } from './usage.js';

export interface StatusFacts {
  readonly view: ProfileView;
  readonly usage: Usage | undefined;
  readonly containment: string;
  /** of earlier generations: nothing could end them */
  readonly survivors: readonly number[];
  readonly now: number;
  /** what a start that has not begun waits for */
  readonly waitsFor: string | undefined;
  readonly move: MoveStatus | undefined;
  readonly notices: readonly string[];
}

/** One profile's row of the status, in the shape of design §11. */
export function profileStatus(facts: StatusFacts): ProfileStatus {
  const { view, usage } = facts;
  const good = view.loaded.kind === 'good' ? view.loaded.config : undefined;
  const report = view.run?.gatewayReport;
  const served = view.run?.generation?.servedBy ?? null;
  const held = holdOf(view);
  return {
    name: view.name,
    kind: good?.command === undefined ? 'built-in' : 'command',
    desired: view.desired,
    essential: good?.essential ?? false,
    account: good?.account?.name ?? null,
    // one that takes nothing new on somebody's request stays, but is not ready for anybody
    state: held === null ? view.state : 'draining',
    pid: served === null ? (view.run?.pid ?? null) : null,
    generation: view.generation,
    since: iso(held?.since ?? view.since),
    readySince: view.run?.readyAt === undefined ? null : iso(view.run.readyAt),
    phase: view.run?.lastPhase ?? facts.waitsFor ?? null,
    restarts: view.deaths.counters,
    storm: view.storm,
    lastExit: view.deaths.last === undefined ? null : lastExit(view.deaths.last),
    next: nextOf(view, facts.now),
    parked: parkedOf(view),
    served,
    move: facts.move ?? null,
    held,
    work: { active: report?.work.length ?? 0, units: report?.work ?? [] },
    platforms: (report?.platforms ?? []).map((one) => ({ ...one, detail: one.detail ?? null })),
    resources: {
      cpuPercent: usage?.cpuPercent ?? null,
      rssBytes: usage?.rssBytes ?? null,
      processes: usage?.processes ?? null,
      containment: facts.containment,
    },
    listen: report?.listen ?? [],
    lastLines: view.run?.lastLines.shown ?? [],
    notices: [...facts.notices, ...noticesOf(view), ...survivorNotice(facts.survivors)],
  };
}

/** Only of one that serves: what drains to its end is not held by anybody any more. */
function holdOf({ state, run }: ProfileView): Hold | null {
  const isServing = state === 'ready' || state === 'degraded' || state === 'served';
  return (isServing ? run?.gatewayReport.held : undefined) ?? null;
}

function lastExit(death: Death): ProfileStatus['lastExit'] {
  return {
    code: death.outcome.kind === 'code' ? death.outcome.code : null,
    signal: death.outcome.kind === 'signal' ? death.outcome.signal : null,
    cause: death.cause,
    uptimeMs: death.uptimeMs,
    at: iso(death.at),
    evidence: death.evidence ?? null,
    detail: death.detail ?? null,
  };
}

function nextOf(view: ProfileView, now: number): ProfileStatus['next'] {
  if (view.next !== undefined) {
    const { action, at } = view.next;
    return { action, at: iso(at), delayMs: Math.max(0, at - now) };
  }
  const limit = view.run?.limit;
  if (limit === undefined) return null;
  return { action: limit.kind, at: iso(limit.at), delayMs: Math.max(0, limit.at - now) };
}

function parkedOf(view: ProfileView): ProfileStatus['parked'] {
  if (view.parked === undefined) return null;
  const { reason, detail, remedy, since, retriesOn } = view.parked;
  return { reason, detail, remedy, since: iso(since), retriesOn };
}

function noticesOf(view: ProfileView): string[] {
  const notices: string[] = [];
  if (view.degradedBecause !== undefined) notices.push(`degraded: ${view.degradedBecause}`);
  const held = holdOf(view);
  if (held !== null) notices.push(holdNotice(held));
  notices.push(...(view.run?.generation?.scope.notices ?? []));
  return notices;
}

function holdNotice(held: Hold): string {
  const why =
    held.kind === 'drain-request'
      ? [`${held.by} asks for a drain (${held.path})`, ...(held.complaints ?? [])].join('; ')
      : `a restart was asked for by ${held.by} and waits for what runs, until ${iso(held.latestAt)} at most`;
  return `takes nothing new: ${why}`;
}

export function survivorNotice(survivors: readonly number[]): string[] {
  if (survivors.length === 0) return [];
  return [`nothing could end these processes, it is tried again: pid ${survivors.join(', ')}`];
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
