import { GatewardenError, messageOf } from '../../core/errors.js';
import type { AgentDriver, ChatMessage } from '../agents/port.js';
import type { InboundMessage, TurnIdentity, TurnOutcome } from './inbound.js';
import { RETRY_AFTER_MS } from './refusals.js';

/** Why a turn is cut off; the abort reason of its signal. */
export class Interruption {
  readonly kind: 'drain' | 'caller-left';

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
    const answer = await work.agent.run({
      messages: work.messages,
      sessionId: identity.sessionId,
      turnId: identity.turnId,
      maxTokens: message.maxTokens,
      signal,
      onDelta: (text) => {
        if (signal.aborted || text === '') return;
        shown += text;
        message.onDelta(text, identity);
      },
    });
    signal.throwIfAborted();
    return { outcome: { kind: 'answered', ...identity, ...answer }, shown: answer.text };
  } catch (thrown) {
    const outcome = signal.aborted
      ? interrupted(identity, signal.reason)
      : failed(identity, work.profile, thrown);
    return { outcome, shown };
  }
}

function interrupted(identity: TurnIdentity, reason: unknown): EndedTurn {
  const byDrain = reason instanceof Interruption && reason.kind === 'drain';
  const details = byDrain
    ? { reason: 'the gateway stops or restarts', hint: 'send the message again' }
    : { reason: 'its caller left', hint: '' };
  return {
    kind: 'interrupted',
    ...identity,
    error: new GatewardenError('turn-interrupted', details),
    retryAfterMs: byDrain ? RETRY_AFTER_MS : undefined,
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
