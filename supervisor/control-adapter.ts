import { existsSync } from 'node:fs';
import { hostBudgets } from '../src/config/index.js';
import type { Containment } from '../src/containment/index.js';
import type { HistoryReport, Job, VerbRequest } from '../src/core/control.js';
import type { Verb } from '../src/core/events.js';
import { DEFAULT_PROFILE } from '../src/core/names.js';
import { judgeStatus, type StatusReport } from '../src/core/status.js';
import { packageVersion } from '../src/core/version.js';
import { managerOf } from '../src/manager/index.js';
import type { SupervisorStore } from '../src/store/index.js';
import { runningScopes } from './containment/gauge-facts.js';
import { limitNotices } from './containment/limit-notices.js';
import type { UnendedTrees } from './containment/unended-trees.js';
import {
  type ControlHistoryQuery,
  type ControlPort,
  EventFeed,
  type EventSubscriber,
  type ReloadReport,
} from './control/index.js';
import type { EventHub } from './events/event-hub.js';
import type { ProfileLogs } from './logs/profile-logs.js';
import type { ProfileView } from './profile/profile-view.js';
import { profileStatus, survivorNotice } from './status/status-report.js';
import { UsageReader } from './status/usage.js';
import type { Supervisor } from './supervisor.js';

export interface ControlFacts {
  readonly supervisor: Supervisor;
  readonly store: SupervisorStore;
  readonly hub: EventHub;
  readonly logs: ProfileLogs;
  readonly containment: Containment;
  readonly unended: UnendedTrees;
  readonly startedAt: Date;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** what weakens our hold on the home */
  readonly notices: readonly string[];
}

/** What the control API may ask of the supervisor. */
export class ControlAdapter implements ControlPort {
  readonly #facts: ControlFacts;
  readonly #usage: UsageReader;
  readonly #feed: EventFeed;
  readonly #manager: StatusReport['supervisor']['manager'];

  constructor(facts: ControlFacts) {
    this.#facts = facts;
    this.#usage = new UsageReader(facts.containment);
    this.#feed = new EventFeed({
      eventsAfter: (cursor, limit) => facts.store.eventsAfter(cursor, limit),
    });
    // the store subscribed before: it holds an event before anybody is told of it
    facts.hub.subscribe((recorded) => this.#feed.publish(recorded));
    const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
    this.#manager = managerOf({ env: facts.env, pid: process.pid, isContainer });
  }

  async status(): Promise<StatusReport> {
    const { supervisor, startedAt, logs, containment, unended } = this.#facts;
    const views = supervisor.profiles.map((profile) => profile.view());
    const usages = await this.#usage.read(runningScopes(supervisor));
    const now = Date.now();
    const profiles = views.map((view) => {
      const move = supervisor.multiplex.moveOf(view.name);
      return profileStatus({
        view,
        usage: view.run === undefined ? undefined : usages.get(view.name),
        containment: view.run?.generation?.scope.rung ?? containment.rung,
        survivors: unended.of(view.name),
        now,
        move,
        waitsFor: supervisor.multiplex.isWaiting(view.name) ? SERVER_WAIT : undefined,
        notices: [
          ...logs.noticesFor(view.name),
          ...refusedNotice(supervisor.refusalOf(view.name)),
          ...(move === undefined ? [] : [move.detail]),
          ...limitNoticesOf(view, containment),
        ],
      });
    });
    const faults = this.#faults();
    // what is merely odd about the configuration is told, and is no fault of ours
    const notices = [...faults, ...this.#facts.notices, ...supervisor.config.notices];
    const head = {
      pid: process.pid,
      version: packageVersion(),
      startedAt: startedAt.toISOString(),
      manager: this.#manager,
      containment: containment.rung,
      weakerBecause: containment.weakerBecause ?? null,
      state: supervisor.isLeaving ? 'draining' : 'running',
      budgets: hostBudgets(supervisor.config).rows,
      notices,
    } as const;
    const verdict = judgeStatus({ supervisor: { ...head, health: 'ok' }, profiles });
    const health = verdict === 'ready' ? (faults.length === 0 ? 'ok' : 'degraded') : verdict;
    return { supervisor: { ...head, health }, profiles };
  }

  verb(profile: string, verb: Verb, request: VerbRequest): Job {
    return this.#facts.supervisor.verb(profile, verb, request);
  }

  reload(by: string): ReloadReport {
    return this.#facts.supervisor.reload(by);
  }

  job(id: string): Job | undefined {
    return this.#facts.supervisor.jobs.find(id);
  }

  history(query: ControlHistoryQuery): HistoryReport {
    const { supervisor, store } = this.#facts;
    const counters = Object.fromEntries(
      supervisor.profiles.map((profile) => [profile.name, profile.deaths.counters]),
    );
    return { rows: store.history(query), counters };
  }

  subscribe(afterCursor: number | undefined, subscriber: EventSubscriber): () => void {
    return this.#feed.subscribe(afterCursor, subscriber);
  }

  eventCounts(): Readonly<Record<string, number>> {
    return this.#facts.hub.counts;
  }

  /** What is wrong with the supervisor itself. */
  #faults(): string[] {
    const failing = this.#facts.store.failing();
    const trouble = this.#facts.logs.supervisorTrouble();
    return [
      ...survivorNotice(this.#facts.unended.of(undefined)),
      ...(failing === undefined ? [] : [`history is not being written: ${failing}`]),
      ...(trouble === undefined ? [] : [`the supervisor's log is not being written: ${trouble}`]),
    ];
  }
}

const SERVER_WAIT = `waiting for the gateway of ${DEFAULT_PROFILE}, which is to serve it`;

/** Only while it runs: a profile that is down is limited by nothing. */
function limitNoticesOf({ loaded, run }: ProfileView, { limits }: Containment): string[] {
  if (run === undefined || loaded.kind !== 'good') return [];
  return limitNotices(loaded.config.limits, limits);
}

function refusedNotice(problems: string | undefined): string[] {
  return problems === undefined
    ? []
    : [`its new configuration is refused, the last good one stays:\n${problems}`];
}
