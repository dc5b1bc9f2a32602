import type { HistoryReport, Job, VerbRequest } from '../../core/control.js';
import { GatewardenError } from '../../core/errors.js';
import type { Verb } from '../../core/events.js';
import type { Move } from '../../core/moves.js';
import type { StatusReport } from '../../core/status.js';
import { AnsweredError, parseErrorBody } from './answered-error.js';
import { ask, type ControlRequest } from './request.js';

/** How long an answer may take: a supervisor's loop is never this late unless it hangs. */
export const ANSWER_TIMEOUT_MS = 5000;

export interface HistoryQuery {
  readonly profile: string | undefined;
  /** epoch milliseconds */
  readonly since: number | undefined;
  readonly limit: number;
}

/** What a reload of the whole configuration changed. */
export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** who is to run elsewhere; undefined: a supervisor of an earlier version */
  readonly moves?: readonly Move[];
}

/** The control API of one supervisor (design §11). */
export class ControlClient {
  readonly socketPath: string;
  readonly #timeoutMs: number;

  constructor(socketPath: string, timeoutMs: number = ANSWER_TIMEOUT_MS) {
    this.socketPath = socketPath;
    this.#timeoutMs = timeoutMs;
  }

  async status(signal?: AbortSignal): Promise<StatusReport> {
    return (await this.#ask('GET', '/v1/status', { signal })) as StatusReport;
  }

  async order(profile: string, verb: Verb, body: VerbRequest): Promise<Job> {
    const path = `/v1/profiles/${encodeURIComponent(profile)}/${verb}`;
    return (await this.#ask('POST', path, { body })) as Job;
  }

  /** @throws GatewardenError config-invalid: the last good configuration stays in force */
  async reload(by: string): Promise<ReloadReport> {
    return (await this.#ask('POST', '/v1/reload', { body: { now: false, by } })) as ReloadReport;
  }

  async job(id: string, signal?: AbortSignal): Promise<Job> {
    return (await this.#ask('GET', `/v1/jobs/${encodeURIComponent(id)}`, { signal })) as Job;
  }

  async history(query: HistoryQuery): Promise<HistoryReport> {
    const search = new URLSearchParams({ limit: String(query.limit) });
    if (query.profile !== undefined) search.set('profile', query.profile);
    if (query.since !== undefined) search.set('since', new Date(query.since).toISOString());
    return (await this.#ask('GET', `/v1/history?${search.toString()}`, {})) as HistoryReport;
  }

  async #ask(
    method: ControlRequest['method'],
    path: string,
    extra: { readonly body?: unknown; readonly signal?: AbortSignal | undefined },
  ): Promise<unknown> {
    const question = { method, path, timeoutMs: this.#timeoutMs, ...extra };
    const { status, body } = await ask(this.socketPath, question);
    if (status >= 200 && status < 300 && typeof body === 'object' && body !== null) return body;
    const error = parseErrorBody(body);
    if (error !== undefined) throw new AnsweredError(error);
    throw new GatewardenError('protocol-broken', {
      sender: 'the supervisor',
      got: `status ${status} for ${method} ${path}`,
    });
  }
}
