import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostChain } from '../../src/core/budgets.js';
import type { Job } from '../../src/core/control.js';
import { CAUSES } from '../../src/core/death.js';
import { GatewardenError } from '../../src/core/errors.js';
import type { RecordedEvent } from '../../src/core/events.js';
import type { ProfileStatus, StatusReport } from '../../src/core/status.js';
import {
  type ControlPort,
  type ControlServer,
  type ControlServerOptions,
  EventFeed,
  startControlServer,
} from '../../supervisor/control/index.js';

const AT = '2026-01-02T03:04:05.000Z';

export function aProfile(fields: Partial<ProfileStatus> = {}): ProfileStatus {
  const zeros = Object.fromEntries(['total', ...CAUSES].map((cause) => [cause, 0]));
  return {
    name: 'coder',
    kind: 'built-in',
    desired: 'running',
    essential: false,
    account: null,
    state: 'ready',
    pid: 42,
    generation: 7,
    since: AT,
    readySince: AT,
    phase: null,
    restarts: zeros as ProfileStatus['restarts'],
    storm: false,
    lastExit: null,
    next: null,
    parked: null,
    served: null,
    move: null,
    held: null,
    work: { active: 0, units: [] },
    platforms: [],
    resources: { cpuPercent: null, rssBytes: null, processes: null, containment: 'session' },
    listen: [],
    lastLines: [],
    notices: [],
    ...fields,
  };
}

export function aReport(profiles: readonly ProfileStatus[]): StatusReport {
  return {
    supervisor: {
      pid: 1,
      version: '1.2.3',
      startedAt: AT,
      manager: 'terminal',
      containment: 'session',
      weakerBecause: 'no cgroup v2 hierarchy is mounted',
      state: 'running',
      health: 'ok',
      budgets: hostChain([]).rows,
      notices: [],
    },
    profiles,
  };
}

/** A supervisor of one profile, small enough to see through: events in memory, verbs in a list. */
export class SmallSupervisor implements ControlPort {
  report = aReport([aProfile()]);
  problems: string | undefined;
  readonly asked: unknown[] = [];
  readonly stored: RecordedEvent[] = [];
  readonly feed = new EventFeed({
    eventsAfter: (cursor, limit) =>
      this.stored.filter((one) => one.cursor > cursor).slice(0, limit),
    pageSize: 50,
    retryMs: 5,
  });
  subscribers = 0;

  happen(text = 'x'): void {
    const cursor = this.stored.length + 1;
    const event = { code: 'phase', profile: 'coder', phase: text } as const;
    const recorded: RecordedEvent = { cursor, at: cursor, event };
    this.stored.push(recorded);
    this.feed.publish(recorded);
  }

  status = () => this.report;
  eventCounts = () => ({ phase: this.stored.length });
  job = (id: string) => (id === 'job-1' ? aJob : undefined);

  verb: ControlPort['verb'] = (profile, verb, wish) => {
    if (profile === 'bug') throw new TypeError('cannot read secret-of-the-inside');
    if (profile === 'refused')
      throw new GatewardenError('not-built-in', { profile, what: 'x', hint: 'y' });
    this.#known(profile);
    this.asked.push({ profile, verb, ...wish });
    return { ...aJob, profile, verb };
  };

  reload: ControlPort['reload'] = (by) => {
    this.asked.push({ reload: by });
    const report = { added: ['new'], removed: [], changed: [] };
    return this.problems === undefined ? report : { ...report, problems: this.problems };
  };

  history: ControlPort['history'] = (query) => {
    this.asked.push(query);
    if (query.profile !== undefined) this.#known(query.profile);
    return { rows: [], counters: {} };
  };

  subscribe: ControlPort['subscribe'] = (afterCursor, subscriber) => {
    this.subscribers++;
    const end = this.feed.subscribe(afterCursor, subscriber);
    let ended = false;
    return () => {
      if (!ended) this.subscribers--;
      ended = true;
      end();
    };
  };

  #known(profile: string): void {
    if (profile !== 'coder') {
      throw new GatewardenError('unknown-profile', { got: profile, known: 'coder' });
    }
  }
}

const aJob: Job = {
  id: 'job-1',
  profile: 'coder',
  verb: 'start',
  phase: 'starting',
  etaMs: null,
  detail: null,
  startedAt: AT,
  finishedAt: null,
};

interface Teardown {
  teardown(undo: () => unknown): void;
}

export function socketPath(t: Teardown): string {
  const path = join(tmpdir(), `gatewarden-test-${randomBytes(6).toString('hex')}.sock`);
  t.teardown(() => rmSync(path, { force: true }));
  return path;
}

export async function serve(
  t: Teardown,
  port: ControlPort,
  options: Partial<ControlServerOptions> = {},
): Promise<ControlServer> {
  const server = await startControlServer({ socketPath: socketPath(t), port, ...options });
  t.teardown(() => server.close(0));
  return server;
}

export interface Question {
  readonly socketPath?: string;
  readonly port?: number;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export function ask({ body, ...question }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({ agent: false, ...question }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    asking.on('error', reject).end(body);
  });
}
