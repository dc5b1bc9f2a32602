import type { ChatMessage, FinishReason, TokenUsage } from '../agents/port.js';
import type { NoticeRecord } from '../notices/judge-notice.js';

/** What the store keeps, and the writes that change it: plain data, so that they can wait. */

export interface SessionRecord {
  readonly id: string;
  readonly key: string;
  readonly platform: string;
  readonly chatId: string | undefined;
  readonly startedAt: number;
  /** true while its last turn was cut off and nobody has answered since */
  readonly resumePending: boolean;
  /** set aside after too many restarts: its next message begins a new one */
  readonly suspended: boolean;
}

/** Why a session ended (spec/gateway-runtime.md 6.5). */
export type EndReason =
  /** the user asked for a new conversation */
  | 'new_session'
  /** one call with its own history: never continued */
  | 'stateless'
  /** it was in the middle of a turn at several restarts in a row */
  | 'suspended';

/** Why a session's last turn was cut off (spec/gateway-runtime.md 4.3). */
export type ResumeReason = 'restart_timeout' | 'shutdown_timeout' | 'restart_interrupted';

export interface IncomingMessage {
  readonly sessionId: string;
  readonly turnId: string;
  readonly content: string;
  readonly at: number;
  readonly platformMessageId: string | undefined;
  /** how the row is shown; undefined: as what a person said (spec/gateway-runtime.md 5.2) */
  readonly displayKind: DisplayKind | undefined;
}

export type DisplayKind = 'internal_notification' | 'auto_continue';

/** How a turn ended, for its rows. */
export type TurnStatus = 'answered' | 'interrupted' | 'failed';

export interface TurnResult {
  readonly sessionId: string;
  readonly turnId: string;
  readonly status: TurnStatus;
  /** the message that was answered: needed while its own row waits or is not final yet */
  readonly question: string;
  /** also a partial text is kept; empty: no assistant row */
  readonly text: string;
  readonly finishReason: FinishReason | undefined;
  readonly usage: TokenUsage | undefined;
  readonly at: number;
}

export type StoreWrite =
  | {
      readonly kind: 'open-session';
      readonly session: SessionRecord;
      /** set for a session that is over with its first turn */
      readonly ended: EndReason | undefined;
    }
  | {
      readonly kind: 'end-session';
      readonly key: string;
      readonly at: number;
      readonly reason: EndReason;
    }
  | { readonly kind: 'message-in'; readonly message: IncomingMessage }
  | { readonly kind: 'turn-over'; readonly result: TurnResult }
  | {
      readonly kind: 'mark-resume';
      readonly sessionIds: readonly string[];
      readonly reason: ResumeReason;
      /** epoch milliseconds */
      readonly at: number;
    }
  | { readonly kind: 'clear-resume'; readonly sessionId: string }
  /** one more try, before it begins */
  | { readonly kind: 'count-resume'; readonly sessionIds: readonly string[] }
  /** it came to an end of its own, although not to an answer */
  | { readonly kind: 'uncount-resume'; readonly sessionId: string }
  | { readonly kind: 'suspend'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'notice'; readonly record: NoticeRecord };

/** Messages as the agent wants them, oldest first. */
export type History = readonly ChatMessage[];
