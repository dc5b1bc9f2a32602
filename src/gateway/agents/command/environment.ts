import { TURN_VARIABLE } from '../../../core/scope.js';
import type { ChatMessage } from '../port.js';

export interface TurnFacts {
  readonly profile: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** what was said before, oldest first */
  readonly history: readonly ChatMessage[];
}

/** One variable may hold 128 KiB on Linux; the rest of the environment needs room too. */
const MAX_HISTORY_BYTES = 96 * 1024;

/** What the program of a turn finds in its environment besides what the profile allows. */
export function turnEnvironment(
  base: Readonly<Record<string, string>>,
  facts: TurnFacts,
): Record<string, string> {
  return {
    ...base,
    GATEWARDEN_PROFILE: facts.profile,
    GATEWARDEN_SESSION: facts.sessionId,
    [TURN_VARIABLE]: facts.turnId,
    GATEWARDEN_HISTORY: renderHistory(facts.history),
  };
}

/** The newest messages that fit, as a JSON list. */
function renderHistory(history: readonly ChatMessage[]): string {
  let kept = history.map((message) => JSON.stringify(message));
  let bytes = kept.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 1);
  while (bytes > MAX_HISTORY_BYTES) {
    const [oldest = '', ...rest] = kept;
    bytes -= Buffer.byteLength(oldest) + 1;
    kept = rest;
  }
  return `[${kept.join(',')}]`;
}
