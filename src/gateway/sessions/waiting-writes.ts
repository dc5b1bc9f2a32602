import type { ChatMessage } from '../agents/port.js';
import type { History, SessionRecord, StoreWrite } from './records.js';

/** Reads over writes that the disk has not taken yet, so that a full disk costs no memory of a chat. */

/** The open session of a key after the waiting writes; `stored` is what the file says. */
export function overlaySession(
  waiting: readonly StoreWrite[],
  key: string,
  stored: SessionRecord | undefined,
): SessionRecord | undefined {
  let session = stored;
  for (const write of waiting) {
    switch (write.kind) {
      case 'open-session':
        if (write.session.key === key && write.ended === undefined) session = write.session;
        break;
      case 'end-session':
        if (write.key === key) session = undefined;
        break;
      case 'mark-resume':
        if (session !== undefined && write.sessionIds.includes(session.id)) {
          session = { ...session, resumePending: true };
        }
        break;
      case 'clear-resume':
        if (session?.id === write.sessionId) session = { ...session, resumePending: false };
        break;
      case 'suspend':
        if (session !== undefined && write.sessionIds.includes(session.id)) {
          session = { ...session, resumePending: false, suspended: true };
        }
        break;
      case 'message-in':
      case 'turn-over':
      case 'count-resume':
      case 'uncount-resume':
      case 'notice':
        break;
      default:
        write satisfies never;
    }
  }
  return session;
}

/** The newest `limit` messages after the waiting writes. */
export function overlayHistory(
  waiting: readonly StoreWrite[],
  sessionId: string,
  stored: History,
): ChatMessage[] {
  const messages = [...stored];
  for (const write of waiting) {
    if (write.kind !== 'turn-over' || write.result.sessionId !== sessionId) continue;
    const { status, question, text } = write.result;
    if (status === 'failed') continue;
    messages.push({ role: 'user', content: question });
    if (text !== '') messages.push({ role: 'assistant', content: text });
  }
  return messages;
}
