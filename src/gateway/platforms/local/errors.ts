import { GatewardenError } from '../../../core/errors.js';
import type { ToChat } from '../../../core/local-protocol.js';

type ErrorMessage = Extract<ToChat, { code: 'error' }>;

/** An error as its line; `turn` is undefined when the message never became one. */
export function toErrorMessage(
  error: GatewardenError,
  turn: string | undefined,
  retryAfterMs: number | undefined,
): ErrorMessage {
  return {
    code: 'error',
    turn: turn ?? null,
    error: { code: error.code, message: error.message, next: error.next },
    retryAfterMs: retryAfterMs ?? null,
  };
}

/** A line that is not in the contract: told, and the connection lives on. */
export function brokenLine(expected: string, got: string): ErrorMessage {
  const hint = 'send one JSON object per line, such as {"code":"message","text":"hello"}';
  return toErrorMessage(
    new GatewardenError('bad-argument', { expected, got, hint }),
    undefined,
    undefined,
  );
}
