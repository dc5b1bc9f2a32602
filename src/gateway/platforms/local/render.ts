import type { ToChat } from '../../../core/local-protocol.js';
import type { TurnOutcome } from '../../turns/inbound.js';
import { toErrorMessage } from './errors.js';

/** The answer to a control command: a final like any other, of no turn. */
export function renderControl(text: string): ToChat {
  return { code: 'final', turn: 'control', text };
}

/** The one last line of a message: its turn-final or its error. */
export function renderOutcome(outcome: TurnOutcome): ToChat {
  switch (outcome.kind) {
    case 'answered':
      return { code: 'final', turn: outcome.turnId, text: outcome.text };
    case 'failed':
      return toErrorMessage(outcome.error, outcome.turnId, undefined);
    case 'interrupted':
      return toErrorMessage(outcome.error, outcome.turnId, outcome.retryAfterMs);
    case 'refused':
      return toErrorMessage(outcome.error, undefined, outcome.retryAfterMs);
    default:
      return outcome satisfies never;
  }
}
