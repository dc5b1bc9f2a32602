import { randomUUID } from 'node:crypto';
import type { AgentDriver, ChatMessage } from '../agents/port.js';
import type { AbandonCause } from '../processes/plan-reap.js';
import type { TurnClaims } from '../processes/turn-claims.js';
import type { EndReason, SessionRecord, StoreWrite } from '../sessions/records.js';
import type { SessionStore } from '../sessions/store.js';
import { watchInactivity } from './inactivity.js';
import type { InboundMessage, TurnIdentity } from './inbound.js';
import type { RunningTurns } from './running-turns.js';
import { type EndedTurn, Interruption, runTurn, type TurnRun } from './turn.js';

export interface TurnParts {
  readonly profile: string;
  readonly store: SessionStore;
  readonly agent: AgentDriver;
  readonly running: RunningTurns;
  /** who may claim the processes that a turn starts */
  readonly claims: Pick<TurnClaims, 'begin'>;
  /** silence of a turn after which it is given up; 0: never */
  readonly inactivityMs: number;
  /** a drain has begun: sessions that run are marked, and unmarked as they finish */
  readonly isRefusing: () => boolean;
}

export interface TurnPlan {
  readonly message: InboundMessage;
  readonly session: SessionRecord;
  readonly isNewSession: boolean;
  /** set for a session that is over with this turn */
  readonly ended: EndReason | undefined;
  readonly messages: readonly ChatMessage[];
}

/** Persists the message, asks the agent, persists the answer; counts as running all the while. */
export async function runPersistedTurn(parts: TurnParts, plan: TurnPlan): Promise<EndedTurn> {
  const { message, session } = plan;
  const identity = { turnId: `turn-${randomUUID()}`, sessionId: session.id };
  const startedAt = Date.now();
  const turn = {
    unit: { kind: message.workKind, id: identity.turnId, session: session.id, startedAt },
    isStored: plan.ended === undefined,
    sessionKey: session.key,
    callerSignal: message.signal,
  };
  // before anybody is told that it runs: a kill at any moment after that finds it in the store
  parts.store.write(...openingWrites(plan, identity.turnId, startedAt));
  return parts.running.track(turn, async (signal, abandon) => {
    message.onStart?.(identity);
    const run = await runOwned(parts, plan, { identity, signal, abandon });
    parts.store.write(...closingWrites(parts, plan, { run, signal }));
    return run.outcome;
  });
}

interface Started {
  readonly identity: TurnIdentity;
  readonly signal: AbortSignal;
  readonly abandon: (cause: AbandonCause) => void;
}

/** Until the agent returns, what it starts is the turn's; given up, the turn takes it along. */
async function runOwned(
  parts: TurnParts,
  { message, session, messages }: TurnPlan,
  { identity, signal, abandon }: Started,
): Promise<TurnRun> {
  const { profile, agent, claims, inactivityMs } = parts;
  const { key: sessionKey, platform, chatId } = session;
  const origin = { sessionKey, sessionId: session.id, platform, chatId };
  const claim = claims.begin(identity.turnId, origin);
  const giveUp = () => {
    const { reason } = signal as { reason: unknown };
    // a drain waits for turns and then ends everything: that is no abandonment
    if (reason instanceof Interruption && reason.kind !== 'drain') claim.abandon(reason.kind);
  };
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const inactivity = watchInactivity(inactivityMs, () => abandon('inactivity'));
  try {
    const onActivity = inactivity.touch;
    return await runTurn({ identity, profile, agent, message, messages, signal, onActivity });
  } finally {
    // this very instant: whoever says stop after it must not end what was left on purpose
    claim.release();
    inactivity.stop();
    signal.removeEventListener('abort', giveUp);
  }
}

function openingWrites(plan: TurnPlan, turnId: string, at: number): StoreWrite[] {
  const { session, message, ended } = plan;
  const incoming: StoreWrite = {
    kind: 'message-in',
    message: {
      sessionId: session.id,
      turnId,
      content: message.text,
      at,
      platformMessageId: message.messageId,
      displayKind: message.internal === undefined ? undefined : 'internal_notification',
    },
  };
  return plan.isNewSession ? [{ kind: 'open-session', session, ended }, incoming] : [incoming];
}

interface Ending {
  readonly run: TurnRun;
  readonly signal: AbortSignal;
}

function closingWrites(parts: TurnParts, plan: TurnPlan, { run, signal }: Ending): StoreWrite[] {
  const { outcome, shown } = run;
  const { sessionId, turnId } = outcome;
  const isAnswered = outcome.kind === 'answered';
  const over: StoreWrite = {
    kind: 'turn-over',
    result: {
      sessionId,
      turnId,
      status: outcome.kind,
      question: plan.message.text,
      text: shown,
      finishReason: isAnswered ? outcome.finishReason : undefined,
      usage: isAnswered ? outcome.usage : undefined,
      at: Date.now(),
    },
  };
  const wasDrained = signal.reason instanceof Interruption && signal.reason.kind === 'drain';
  const isUnmarked = plan.session.resumePending
    ? isAnswered
    : parts.isRefusing() && !(outcome.kind === 'interrupted' && wasDrained);
  return isUnmarked ? [over, { kind: 'clear-resume', sessionId }] : [over];
}
