import { GatewardenError, messageOf } from '../../core/errors.js';
import type { ToChat } from '../../core/local-protocol.js';
import { AnsweredError } from '../control/answered-error.js';
import type { ChatConnection } from './connection.js';

/** How one message ended. */
export type TurnEnd =
  | { readonly kind: 'answered'; readonly text: string }
  /** it was not taken; the same message may be sent again after a while */
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: GatewardenError }
  | { readonly kind: 'failed'; readonly error: GatewardenError };

export interface TurnOptions {
  readonly profile: string;
  /** the same for every try of one message, so that no try runs it twice */
  readonly id: string;
  readonly onDelta: (text: string) => void;
  readonly onDraining?: () => void;
  /** what is said besides the answer: by the agent of its own accord, or about the turn */
  readonly onNotice?: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one message and reads until its end. @throws the signal's reason when it is raised */
export async function askTurn(
  connection: ChatConnection,
  text: string,
  options: TurnOptions,
): Promise<TurnEnd> {
  try {
    connection.send({ code: 'message', text, id: options.id });
    for (;;) {
      const end = readEnd(await connection.next(options.signal), options);
      if (end !== undefined) return end;
    }
  } catch (thrown) {
    options.signal?.throwIfAborted();
    if (thrown instanceof GatewardenError) return { kind: 'failed', error: thrown };
    return { kind: 'failed', error: lostError(options.profile, thrown) };
  }
}

function readEnd(message: ToChat, options: TurnOptions): TurnEnd | undefined {
  switch (message.code) {
    case 'delta':
      options.onDelta(message.text);
      return undefined;
    case 'final':
      return { kind: 'answered', text: message.text };
    case 'error': {
      const error = new AnsweredError(message.error);
      // only a message that never became a turn may be sent again without doubt
      const isSafe = message.turn === null && message.retryAfterMs !== null;
      return isSafe
        ? { kind: 'later', afterMs: message.retryAfterMs, error }
        : { kind: 'failed', error };
    }
    case 'draining':
      options.onDraining?.();
      return undefined;
    case 'note':
    case 'notice':
      options.onNotice?.(message.text);
      return undefined;
    case 'welcome':
    case 'stopped':
    case 'renewed':
    case 'rescanned':
      return undefined;
    default:
      return message satisfies never;
  }
}

function lostError(profile: string, thrown: unknown): GatewardenError {
  return new GatewardenError(
    'turn-failed',
    {
      profile,
      reason: `the connection was lost before the answer was complete: ${messageOf(thrown)}`,
      hint: `look at gatewarden status ${profile}; the message may have been worked on, so look before you send it again`,
    },
    { cause: thrown },
  );
}
