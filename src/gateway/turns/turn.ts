import { GatewardenError, messageOf } from '../../core/errors.js';
import type { AgentDriver, ChatMessage } from '../agents/port.js';
import type { AbandonCause } from '../processes/plan-reap.js';
import type { InboundMessage, TurnIdentity, TurnOutcome } from './inbound.js';
import { RETRY_AFTER_MS } from './refusals.js';

/** Why a turn is cut off; the abort reason of its signal. All but a drain abandon the turn. */
export class Interruption {
  readonly kind: 'drain' | AbandonCause;

  constructor(kind: Interruption['kind']) {
    this.kind = kind;
  }
}

export type EndedTurn = Exclude<TurnOutcome, { kind: 'refused' }>;

export interface TurnWork {
  readonly identity: TurnIdentity;
  readonly profile: string;
  readonly agent: AgentDriver;
  readonly message: InboundMessage;
  readonly messages: readonly ChatMessage[];
  readonly signal: AbortSignal;
  /** called with every sign of life of the agent; `isShown`: its person saw it */
  readonly onActivity: (isShown: boolean) => void;
  /** called when the agent has returned; may still raise the signal */
  readonly onReturn: () => void;
}

export interface TurnRun {
  readonly outcome: EndedTurn;
  /** everything that was shown, also when the turn did not end well */
  readonly shown: string;
}

/** Asks the agent; never throws: every end of a turn is an outcome. */
export async function runTurn(work: TurnWork): Promise<TurnRun> {
  const { identity, message, signal } = work;
  let shown = '';
  try {
    const running = work.agent.run({
      messages: work.messages,
      sessionId: identity.sessionId,
      turnId: identity.turnId,
      maxTokens: message.maxTokens,
      signal,
      onActivity: () => work.onActivity(false),
      onDelta: (text) => {
        if (signal.aborted || text === '') return;
        work.onActivity(true);
        // that sign of life may have come too late
        if (signal.aborted) return;
        shown += text;
        message.onDelta(text, identity);
      },
    });
    const answer = await unlessStuck(running, signal);
    work.onReturn();
    signal.throwIfAborted();
    return { outcome: { kind: 'answered', ...identity, ...answer }, shown: answer.text };
  } catch (thrown) {
    const outcome = signal.aborted
      ? interrupted(identity, signal.reason)
      : failed(identity, work.profile, thrown);
    return { outcome, shown };
  }
}

/** What an interrupted agent may take to let go before its conversation goes on without it. */
const STUCK_AGENT_MS = 5000;

async function unlessStuck<Answer>(running: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let giveUp: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    giveUp = () => {
      timer = setTimeout(() => reject(signal.reason), STUCK_AGENT_MS);
    };
  });
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([running, stuck]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    // of an agent that nobody waits for any more
    running.catch(() => {});
  }
}

type Told = Readonly<Record<'reason' | 'hint', string>>;

const INTERRUPTED: Readonly<Record<Interruption['kind'], Told>> = {
  drain: { reason: 'the gateway stops or restarts', hint: 'send the message again' },
  stop: { reason: 'it was stopped', hint: '' },
  new: { reason: 'a new conversation was begun', hint: '' },
  inactivity: {
    reason: 'nothing happened in it for too long',
    hint: 'send the message again, or ask for less at once',
  },
  'caller-left': { reason: 'its caller left', hint: '' },
};

function interrupted(identity: TurnIdentity, reason: unknown): EndedTurn {
  const kind = reason instanceof Interruption ? reason.kind : 'caller-left';
  return {
    kind: 'interrupted',
    ...identity,
    error: new GatewardenError('turn-interrupted', INTERRUPTED[kind]),
    retryAfterMs: kind === 'drain' ? RETRY_AFTER_MS : undefined,
  };
}

function failed(identity: TurnIdentity, profile: string, thrown: unknown): EndedTurn {
  const error =
    thrown instanceof GatewardenError
      ? thrown
      : new GatewardenError(
          'invariant-broken',
          { what: `the agent of profile ${profile} broke: ${messageOf(thrown)}` },
          { cause: thrown },
        );
  return { kind: 'failed', ...identity, error };
}
