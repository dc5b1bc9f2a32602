import { randomUUID } from 'node:crypto';
import { monotonicMs } from '../../core/monotonic.js';
import type { AgentDriver, ChatMessage } from '../agents/port.js';
import type { AbandonCause } from '../processes/plan-reap.js';
import type { TurnClaims } from '../processes/turn-claims.js';
import type { DisplayKind, EndReason, SessionRecord, StoreWrite } from '../sessions/records.js';
import type { SessionStore } from '../sessions/store.js';
import { type InactivityLimits, InactivityWatch } from './inactivity.js';
import type { InboundMessage, TurnIdentity } from './inbound.js';
import { judgeMark } from './judge-mark.js';
import type { TurnNote } from './notes.js';
import type { TurnObserver } from './observer.js';
import type { RunningTurns } from './running-turns.js';
import { type EndedTurn, Interruption, runTurn, type TurnRun } from './turn.js';
import { TurnEnd } from './turn-end.js';

export interface TurnParts {
  readonly profile: string;
  readonly store: SessionStore;
  readonly agent: AgentDriver;
  readonly running: RunningTurns;
  /** who may claim the processes that a turn starts */
  readonly claims: Pick<TurnClaims, 'begin'>;
  readonly inactivity: InactivityLimits;
  /** watches turns from outside the loop */
  readonly observer: TurnObserver;
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
  /** what its person is told first */
  readonly note?: TurnNote | undefined;
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
    chat:
      plan.ended === undefined ? { platform: session.platform, chatId: session.chatId } : undefined,
  };
  // before anybody is told that it runs: a kill at any moment after that finds it in the store
  parts.store.write(...openingWrites(plan, identity.turnId, startedAt));
  return parts.running.track(turn, async ({ signal, abandon, touched }) => {
    message.onStart?.(identity);
    if (plan.note !== undefined) message.onNote?.(plan.note, identity);
    const run = await runOwned(parts, plan, { identity, signal, abandon, touched });
    parts.store.write(...closingWrites(parts, plan, { run, signal }));
    return run.outcome;
  });
}

interface Started {
  readonly identity: TurnIdentity;
  readonly signal: AbortSignal;
  readonly abandon: (cause: AbandonCause) => void;
  /** a sign of life, for whoever asks what is wedged */
  readonly touched: (atMs: number) => void;
}

/** Until the agent returns, what it starts is the turn's; given up, the turn takes it along. */
async function runOwned(parts: TurnParts, plan: TurnPlan, started: Started): Promise<TurnRun> {
  const { message, session, messages } = plan;
  const { identity, signal, abandon } = started;
  const { key: sessionKey, platform, chatId } = session;
  const origin = { sessionKey, sessionId: session.id, platform, chatId };
  const claim = parts.claims.begin(identity.turnId, origin);
  const giveUp = () => {
    const { reason } = signal as { reason: unknown };
    // a drain waits for turns and then ends everything: that is no abandonment
    if (reason instanceof Interruption && reason.kind !== 'drain') claim.abandon(reason.kind);
  };
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const watch = watchTurn(parts, plan, started);
  try {
    const { profile, agent } = parts;
    return await runTurn({
      identity,
      profile,
      agent,
      message,
      messages,
      signal,
      onActivity: watch.touch,
      // who was given up from outside the loop has not answered, whatever it says now
      onReturn: () => {
        if (!watch.end.claim('worker')) abandon('inactivity');
      },
    });
  } finally {
    // this very instant: whoever says stop after it must not end what was left on purpose
    claim.release();
    watch.stop();
    signal.removeEventListener('abort', giveUp);
  }
}

interface TurnWatch {
  readonly end: TurnEnd;
  readonly touch: (isShown: boolean) => void;
  readonly stop: () => void;
}

/** The watch on the loop, and whoever watches from outside it. */
function watchTurn(
  { inactivity, observer, isRefusing }: TurnParts,
  { message }: TurnPlan,
  { identity, abandon, touched }: Started,
): TurnWatch {
  const { turnId, sessionId } = identity;
  const { limitMs } = inactivity;
  const guard = observer.opened({ turnId, session: sessionId, inactivityMs: limitMs });
  const end = new TurnEnd(guard);
  const letGo = () => {
    if (end.claim('loop')) observer.gaveUp?.();
    // what it had started is gone when the thread was first: there is nothing left to go on with
    else if (end.winner !== 'thread') return;
    abandon('inactivity');
  };
  const loop = new InactivityWatch(inactivity, {
    nowMs: monotonicMs,
    // a drain has told its own news (spec/supervision.md 6.5)
    note: (forMs) => {
      if (!isRefusing()) message.onNote?.({ kind: 'still-working', forMs }, identity);
    },
    warn: (forMs) => message.onNote?.({ kind: 'silent', forMs, limitMs }, identity),
    giveUp: letGo,
  });
  return {
    end,
    touch: (isShown) => {
      touched(monotonicMs());
      loop.touch(isShown);
      if (!guard.touch()) letGo();
    },
    stop: () => {
      loop.stop();
      guard.close();
    },
  };
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
      displayKind: displayKindOf(message),
    },
  };
  return plan.isNewSession ? [{ kind: 'open-session', session, ended }, incoming] : [incoming];
}

function displayKindOf({ internal }: InboundMessage): DisplayKind | undefined {
  if (internal === undefined) return undefined;
  return internal.kind === 'resume' ? 'auto_continue' : 'internal_notification';
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
  const kind = signal.reason instanceof Interruption ? signal.reason.kind : undefined;
  const resume = judgeMark({
    isPending: plan.session.resumePending,
    isDraining: parts.isRefusing(),
    status: outcome.kind,
    cutBy: outcome.kind === 'interrupted' ? kind : undefined,
  });
  return resume === 'keep' ? [over] : [over, { kind: resume, sessionId }];
}
