import type { ChatMessage } from '../agents/port.js';

const INTERRUPTED_NOTE =
  'The previous turn of this conversation was cut off by a restart of the gateway, ' +
  'so its answer may be missing or incomplete.';

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
