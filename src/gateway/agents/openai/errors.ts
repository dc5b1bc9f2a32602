import type { OpenaiSettings } from '../../../core/assignment.js';
import { formatDuration } from '../../../core/durations.js';
import { GatewardenError } from '../../../core/errors.js';
import { maskSecrets } from '../../../core/secret.js';
import type { ModelFault } from './faults.js';

export interface FailedTurn {
  readonly profile: string;
  readonly settings: OpenaiSettings;
  readonly secrets: readonly string[];
  readonly fault: ModelFault;
  readonly tries: number;
}

interface Told {
  readonly reason: string;
  readonly hint: string;
}

/** What a person is told about a turn that the model did not answer; never with a key in it. */
export function toTurnError(turn: FailedTurn): GatewardenError {
  const { reason, hint } = tell(turn);
  const tries = turn.tries > 1 ? ` (after ${turn.tries} tries)` : '';
  const secrets = [...turn.secrets, turn.settings.apiKey ?? ''];
  return new GatewardenError('turn-failed', {
    profile: turn.profile,
    reason: maskSecrets(shorten(reason), secrets) + tries,
    hint: maskSecrets(hint, secrets),
  });
}

function tell({ fault, settings }: FailedTurn): Told {
  switch (fault.kind) {
    case 'status':
      return tellStatus(fault, settings);
    case 'connection':
      return {
        reason: `${shownUrl(settings)} cannot be reached: ${fault.message}`,
        hint: 'check agent.base_url and the network, then send the message again',
      };
    case 'silence':
      return {
        reason: `the model was silent for ${formatDuration(fault.timeoutMs)}`,
        hint: 'send the message again, or raise agent.timeout_seconds',
      };
    case 'broken-stream':
      return {
        reason: `the answer broke off: ${fault.message}`,
        hint: 'send the message again',
      };
    default:
      return fault satisfies never;
  }
}

function tellStatus(
  { status, code, message }: Extract<ModelFault, { kind: 'status' }>,
  settings: OpenaiSettings,
): Told {
  const said = `${status}: ${message}`;
  if (code === 'context_length_exceeded') {
    return {
      reason: `the conversation is too long for ${settings.model} (${said})`,
      hint: 'begin a new conversation, or lower agent.history_messages',
    };
  }
  if (code === 'insufficient_quota') {
    return {
      reason: `the account has no quota left (${said})`,
      hint: 'raise its limit, or set agent.api_key to another account',
    };
  }
  return { reason: tellPlainStatus(status, said, settings), hint: hintFor(status, settings) };
}

function tellPlainStatus(status: number, said: string, settings: OpenaiSettings): string {
  if (status === 401 || status === 403) {
    const what = settings.apiKey === undefined ? 'a request without a key' : 'the key';
    return `${shownUrl(settings)} refused ${what} (${said})`;
  }
  if (status === 404) return `${shownUrl(settings)} does not know ${settings.model} (${said})`;
  if (status === 429) return `the rate limit was met (${said})`;
  return `the model answered ${said}`;
}

function hintFor(status: number, settings: OpenaiSettings): string {
  if (status === 401 || status === 403) {
    return 'set agent.api_key of the profile to a key that is valid there and may use the model';
  }
  if (status === 404) {
    return `correct agent.model (${settings.model}) or agent.base_url (${shownUrl(settings)})`;
  }
  if (status === 429 || status >= 500) return 'send the message again later';
  return 'look at agent.model and its limits; the model refused the request as it was';
}

/** Without user, password and query: they may hold a secret. */
function shownUrl({ baseUrl }: OpenaiSettings): string {
  try {
    const { origin, pathname } = new URL(baseUrl);
    return origin + pathname;
  } catch {
    return 'agent.base_url';
  }
}

const MAX_REASON_CHARS = 500;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
}
