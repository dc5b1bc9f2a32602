import { ERRORS, GatewardenError, messageOf, renderError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';

/** What a process says before it leaves for a reason that somebody has to read. */
export interface LastWords {
  readonly exitCode: number;
  readonly detail: string;
  readonly remedy: string;
  /** for standard error, newline included */
  readonly text: string;
}

/** A refusal keeps its own code and next step; everything else is a bug with its stack. */
export function lastWordsOf(thrown: unknown): LastWords {
  if (thrown instanceof GatewardenError) {
    const { exitCode, message, next } = thrown;
    const isBug = thrown.fault === 'bug' && thrown.cause instanceof Error;
    const stack = isBug ? `${(thrown.cause as Error).stack}\n` : '';
    return { exitCode, detail: message, remedy: next, text: `${stack}${renderError(thrown)}\n` };
  }
  const stack =
    thrown instanceof Error && thrown.stack !== undefined ? thrown.stack : messageOf(thrown);
  return {
    exitCode: EXIT.bug,
    detail: messageOf(thrown),
    remedy: ERRORS['invariant-broken'].next,
    text: `${stack}\n${renderError(new GatewardenError('invariant-broken', { what: messageOf(thrown) }))}\n`,
  };
}
