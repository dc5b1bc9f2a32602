import type { ChatMessage } from '../agents/port.js';

const INTERRUPTED_NOTE =
  'The previous turn of this conversation was cut off by a restart of the gateway, ' +
  'so its answer may be missing or incomplete.';

/** What an event without words says to the agent. */
export const RESUME_TEXT =
  'The gateway was restarted in the middle of your last turn, which was cut off. Go on where you ' +
  'were and answer what was asked last; do not do again what is done already.';

export interface PlannedTurn {
  readonly history: readonly ChatMessage[];
  readonly text: string;
  /** the session's last turn was cut off and nobody has answered since */
  readonly wasInterrupted: boolean;
}

/** What the agent sees: the history, a note where it needs one, and the new message last. */
export function planMessages({ history, text, wasInterrupted }: PlannedTurn): ChatMessage[] {
  const note: ChatMessage[] = wasInterrupted ? [{ role: 'system', content: INTERRUPTED_NOTE }] : [];
  return [...history, ...note, { role: 'user', content: text }];
}
