import { randomBytes } from 'node:crypto';
import { clampTimerMs } from '../../core/durations.js';
import { GatewardenError } from '../../core/errors.js';
import type { WorkUnit } from '../../core/work.js';
import type { AgentDriver, ChatMessage } from '../agents/port.js';
import type { ResumeReason, SessionRecord } from '../sessions/records.js';
import { sessionId } from '../sessions/session-id.js';
import { sessionKey } from '../sessions/session-key.js';
import type { SessionStore } from '../sessions/store.js';
import type { InboundMessage, TurnOutcome } from './inbound.js';
import { Lanes } from './lanes.js';
import { NO_OBSERVER } from './observer.js';
import { runPersistedTurn, type TurnParts, type TurnPlan } from './persisted-turn.js';
import { planMessages, RESUME_TEXT } from './plan-messages.js';
import { RecentIds } from './recent-ids.js';
import {
  type Refusing,
  refuseAbandoned,
  refuseDismissed,
  refuseDraining,
  refuseFull,
  refuseRepeated,
  refuseUnwanted,
  refusingFor,
} from './refusals.js';
import { type Chat, type ObservedWork, RunningTurns } from './running-turns.js';
import { Share } from './share.js';

/** Messages that may wait in one conversation (spec/gateway-runtime.md 4.4). */
export const MAX_WAITING = 32;

const RECENT_IDS = 512;
const SESSION_RANDOM_BYTES = 4;

export interface TurnRunnerOptions {
  readonly profile: string;
  readonly store: SessionStore;
  readonly agent: AgentDriver;
  /** called whenever the set of running turns changes */
  readonly onWork: () => void;
  readonly claims: TurnParts['claims'];
  readonly inactivity: TurnParts['inactivity'];
  readonly observer?: TurnParts['observer'];
  /** turns at once; undefined: as many as come */
  readonly maxTurns?: number | undefined;
}

/** Takes messages, one turn at a time per conversation, each message once. */
export class TurnRunner {
  readonly #profile: string;
  readonly #parts: TurnParts;
  readonly #lanes = new Lanes(MAX_WAITING);
  readonly #share: Share;
  readonly #recent = new RecentIds(RECENT_IDS);
  readonly #running: RunningTurns;
  /** for good */
  #refusing: Refusing | undefined;
  /** although the gateway stays */
  #held: Refusing | undefined;
  #gate: Promise<void> | undefined;

  constructor({ onWork, observer = NO_OBSERVER, maxTurns, ...parts }: TurnRunnerOptions) {
    this.#profile = parts.profile;
    this.#share = new Share(maxTurns);
    this.#running = new RunningTurns(onWork);
    const isRefusing = () => this.#refusing !== undefined;
    this.#parts = { ...parts, observer, running: this.#running, isRefusing };
  }

  get work(): readonly WorkUnit[] {
    return this.#running.units;
  }

  /** What runs, as a drain sees it. */
  get observed(): readonly ObservedWork[] {
    return this.#running.observed;
  }

  /** Where somebody waits for something that runs. */
  get chats(): readonly Chat[] {
    return this.#running.chats;
  }

  /** Nothing new is taken: a drain has begun, or somebody outside has asked for one. */
  get isRefusing(): boolean {
    return this.refusing !== undefined;
  }

  /** why, for whoever is sent away */
  get refusing(): Refusing | undefined {
    return this.#refusing ?? this.#held;
  }

  /** @returns the one answer to the message; rejects only on a bug of our own */
  async submit(message: InboundMessage): Promise<TurnOutcome> {
    if (this.isRefusing) return this.#refuseDraining();
    if (message.internal === undefined && this.#gate !== undefined) {
      await this.#gate;
      if (this.isRefusing) return this.#refuseDraining();
    }
    try {
      const { conversation } = message;
      return conversation.kind === 'stateless'
        ? await this.#runStateless(message, conversation.messages)
        : await this.#submitStored(message, this.#keyOf(message.platform, conversation.chatId));
    } catch (thrown) {
      // the store could not be read: the message was not taken, and nothing was made up
      if (!(thrown instanceof GatewardenError)) throw thrown;
      return { kind: 'refused', error: thrown, retryAfterMs: undefined };
    }
  }

  /** Gives up what runs and what waits in a conversation. @returns whether there was anything */
  stop(platform: string, chatId: string | undefined): boolean {
    const key = this.#keyOf(platform, chatId);
    const dismissed = this.#lanes.dismiss(key) + this.#share.dismiss(key);
    return this.#running.abandon(key, 'stop') + dismissed > 0;
  }

  /** Gives up what the conversation does; its next message begins a new session. */
  renew(platform: string, chatId: string | undefined): void {
    const key = this.#keyOf(platform, chatId);
    this.#lanes.dismiss(key);
    this.#share.dismiss(key);
    this.#running.abandon(key, 'new');
    const at = Date.now();
    this.#parts.store.write({ kind: 'end-session', key, at, reason: 'new_session' });
  }

  /**
   * Holds new messages back, at most so long: what comes first must have its place before them.
   * @returns what lets them go
   */
  holdBack(limitMs: number): { readonly open: () => void } {
    let settle = () => {};
    const gate = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const timer = setTimeout(() => open(), clampTimerMs(limitMs)).unref();
    const open = () => {
      clearTimeout(timer);
      if (this.#gate === gate) this.#gate = undefined;
      settle();
    };
    this.#gate = gate;
    return { open };
  }

  /** Takes nothing new while somebody asks for that; what was taken goes on. A stop ends it for good. */
  hold(because: Refusing | undefined): void {
    this.#held = because;
  }

  /** Takes no new turn; what waits is told to try again; what runs is marked first. */
  refuse(reason: ResumeReason): void {
    if (this.#refusing !== undefined) return;
    this.#refusing = refusingFor(reason);
    this.markRunning(reason);
    this.#lanes.close();
    this.#share.close();
  }

  /** Sessions that run now are to be taken up again, unless they still finish. */
  markRunning(reason: ResumeReason): void {
    const sessionIds = this.#running.storedSessions;
    if (sessionIds.length === 0) return;
    this.#parts.store.write({ kind: 'mark-resume', sessionIds, reason, at: Date.now() });
  }

  /** Resolves with the next change of what runs, or once the signal is raised. */
  changed(signal: AbortSignal): Promise<void> {
    return this.#running.changed(signal);
  }

  interruptAll(): void {
    this.#running.interruptAll();
  }

  #refuseDraining(): Extract<TurnOutcome, { kind: 'refused' }> {
    return refuseDraining(this.#profile, this.refusing ?? refusingFor('shutdown_timeout'));
  }

  #keyOf(platform: string, chatId: string | undefined): string {
    return sessionKey({ profile: this.#profile, platform, chatId });
  }

  #runStateless(message: InboundMessage, messages: readonly ChatMessage[]): Promise<TurnOutcome> {
    const id = newSessionId();
    const session = newSession(message, { id, key: this.#keyOf(message.platform, id) });
    const plan = { message, session, isNewSession: true, ended: 'stateless', messages } as const;
    return this.#runInShare(plan);
  }

  async #submitStored(message: InboundMessage, key: string): Promise<TurnOutcome> {
    const { messageId } = message;
    const recentId = messageId === undefined ? undefined : `${key}\n${messageId}`;
    if (recentId !== undefined && messageId !== undefined) {
      const isTaken = this.#recent.has(recentId) || this.#parts.store.hasTaken(key, messageId);
      if (isTaken) return refuseRepeated(messageId);
      this.#recent.add(recentId);
    }
    let outcome: TurnOutcome | undefined;
    try {
      outcome = await this.#runInLane(message, key);
      return outcome;
    } finally {
      // it was not answered, so the same message may come again
      if (recentId !== undefined && outcome?.kind !== 'answered') this.#recent.forget(recentId);
    }
  }

  async #runInLane(message: InboundMessage, key: string): Promise<TurnOutcome> {
    const isInternal = message.internal !== undefined;
    const admission = await this.#lanes.enter(key, message.signal, isInternal);
    if (admission === 'full') return refuseFull(MAX_WAITING);
    if (admission === 'left') return refuseAbandoned();
    if (admission === 'dismissed') return refuseDismissed();
    if (admission === 'closed') return this.#refuseDraining();
    try {
      await message.internal?.begin?.();
      // it has its place in the lane since long; a drain that came meanwhile is stronger
      if (this.#refusing !== undefined && message.internal?.begin !== undefined) {
        return this.#refuseDraining();
      }
      return await this.#runStored(message, key);
    } finally {
      this.#lanes.leave(key);
    }
  }

  /** Of a process that serves several profiles, each has its part. */
  async #runInShare(plan: TurnPlan): Promise<TurnOutcome> {
    const { message, session } = plan;
    const admission = await this.#share.enter(session.key, message.signal);
    switch (admission) {
      case 'left':
        return refuseAbandoned();
      case 'dismissed':
        return refuseDismissed();
      case 'closed':
        return this.#refuseDraining();
      case 'admitted':
        return await runPersistedTurn(this.#parts, plan).finally(() => this.#share.leave());
      default:
        return admission satisfies never;
    }
  }

  #runStored(said: InboundMessage, key: string): Promise<TurnOutcome> {
    const { store, agent } = this.#parts;
    const found = store.openSession(key);
    const { internal } = said;
    if (internal !== undefined && (found?.id !== internal.sessionId || !internal.isWanted())) {
      return Promise.resolve(refuseUnwanted());
    }
    const isSuspended = found?.suspended === true;
    if (isSuspended) {
      store.write({ kind: 'end-session', key, at: Date.now(), reason: 'suspended' });
    }
    const known = isSuspended ? undefined : found;
    const isResume = internal?.kind === 'resume';
    const message = isResume ? { ...said, text: RESUME_TEXT } : said;
    const session = known ?? newSession(message, { id: newSessionId(), key });
    const messages = planMessages({
      history: known === undefined ? [] : store.history(known.id, agent.historyMessages),
      text: message.text,
      wasInterrupted: session.resumePending && !isResume,
    });
    return this.#runInShare({
      message,
      session,
      isNewSession: known === undefined,
      ended: undefined,
      messages,
      note: isSuspended ? { kind: 'suspended' } : undefined,
    });
  }
}

function newSessionId(): string {
  return sessionId(Date.now(), randomBytes(SESSION_RANDOM_BYTES));
}

function newSession(
  { platform, conversation }: InboundMessage,
  { id, key }: { readonly id: string; readonly key: string },
): SessionRecord {
  const chatId = conversation.kind === 'stored' ? conversation.chatId : undefined;
  return {
    id,
    key,
    platform,
    chatId,
    startedAt: Date.now(),
    resumePending: false,
    suspended: false,
  };
}
