import { formatDuration } from '../../core/durations.js';

/** What a person is told of a turn, or of the gateway, besides its answer. */
export type TurnNote =
  /** nothing was said for a while, but it works */
  | { readonly kind: 'still-working'; readonly forMs: number }
  /** nothing happens in it any more; it will be given up */
  | { readonly kind: 'silent'; readonly forMs: number; readonly limitMs: number }
  /** the conversation before this message was set aside */
  | { readonly kind: 'suspended' };

export function renderNote(note: TurnNote): string {
  switch (note.kind) {
    case 'still-working':
      return `Still working on it, for ${formatDuration(note.forMs)} now.`;
    case 'silent': {
      const silence = `Nothing has happened in this turn for ${formatDuration(note.forMs)}`;
      return note.limitMs > 0
        ? `${silence}; it is given up after ${formatDuration(note.limitMs)}. /stop ends it now.`
        : `${silence}. /stop ends it.`;
    }
    case 'suspended':
      return (
        'Several restarts in a row cut this conversation off in the middle of a turn, ' +
        'so it was set aside. This is a new one: it knows nothing of what was said before.'
      );
    default:
      return note satisfies never;
  }
}
