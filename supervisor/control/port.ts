import type { HistoryReport, Job, VerbRequest } from '../../src/core/control.js';
import type { RecordedEvent, Verb } from '../../src/core/events.js';
import type { Move } from '../../src/core/moves.js';
import type { StatusReport } from '../../src/core/status.js';

export interface ReloadReport {
  /** why the new configuration was refused; the last good one stays in force */
  readonly problems?: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** who is to run elsewhere */
  readonly moves?: readonly Move[];
}

export interface ControlHistoryQuery {
  readonly profile: string | undefined;
  /** only events at or after this moment, epoch milliseconds */
  readonly sinceMs: number | undefined;
  readonly limit: number;
}

/** Somebody who follows the events. */
export interface EventSubscriber {
  onEvent(recorded: RecordedEvent): void;
  /** stored events are held back while this is true; live ones never are */
  isFull(): boolean;
}

/**
 * What the control API asks of the supervisor. All but `status` answer at once, so that the
 * API answers while a child is starved.
 */
export interface ControlPort {
  status(): StatusReport | Promise<StatusReport>;
  /** @throws GatewardenError such as unknown-profile */
  verb(profile: string, verb: Verb, request: VerbRequest): Job;
  reload(by: string): ReloadReport | Promise<ReloadReport>;
  job(id: string): Job | undefined;
  /** @throws GatewardenError unknown-profile */
  history(query: ControlHistoryQuery): HistoryReport;
  /** undefined: only what happens from now on. @returns ends the subscription */
  subscribe(afterCursor: number | undefined, subscriber: EventSubscriber): () => void;
  /** events since the start, by code */
  eventCounts(): Readonly<Record<string, number>>;
}
