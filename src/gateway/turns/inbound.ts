import type { GatewardenError } from '../../core/errors.js';
import type { WorkUnit } from '../../core/work.js';
import type { ChatMessage, FinishReason, TokenUsage } from '../agents/port.js';
import type { TurnNote } from './notes.js';

/** Which conversation a message belongs to. */
export type Conversation =
  /** kept in the store and continued by later messages */
  | { readonly kind: 'stored'; readonly chatId: string | undefined }
  /** the caller brings the whole of it, the new message too; nothing is continued */
  | { readonly kind: 'stateless'; readonly messages: readonly ChatMessage[] };

/** One message from a platform, checked by its adapter. */
export interface InboundMessage {
  readonly platform: string;
  readonly conversation: Conversation;
  readonly text: string;
  /** the platform's id of the message; undefined: never taken for a repetition */
  readonly messageId: string | undefined;
  readonly maxTokens: number | undefined;
  readonly workKind: WorkUnit['kind'];
  /** not a person's words */
  readonly internal?: InternalEvent;
  /** told once, before the first delta */
  readonly onStart?: (turn: TurnIdentity) => void;
  readonly onDelta: (text: string, turn: TurnIdentity) => void;
  /** told of what its person should know besides the answer */
  readonly onNote?: (note: TurnNote, turn: TurnIdentity) => void;
  /** aborted when nobody waits for the answer any more */
  readonly signal: AbortSignal;
}

export interface InternalEvent {
  /** `news`: of something that an earlier turn left running; `resume`: go on, after a restart */
  readonly kind: 'news' | 'resume';
  /** the session that it is for: another one of the same chat must not hear of it */
  readonly sessionId: string;
  /** asked when its turn has come */
  readonly isWanted: () => boolean;
  /** waited for before that: of this kind only so many run at once */
  readonly begin?: () => Promise<void>;
}

export interface TurnIdentity {
  readonly turnId: string;
  readonly sessionId: string;
}

/** The one answer to an inbound message. */
export type TurnOutcome =
  | (TurnIdentity & {
      readonly kind: 'answered';
      readonly text: string;
      readonly finishReason: FinishReason;
      readonly usage: TokenUsage | undefined;
    })
  | (TurnIdentity & { readonly kind: 'failed'; readonly error: GatewardenError })
  /** cut off: by a drain (try again) or because its caller left */
  | (TurnIdentity & {
      readonly kind: 'interrupted';
      readonly error: GatewardenError;
      readonly retryAfterMs: number | undefined;
    })
  /** never became a turn */
  | {
      readonly kind: 'refused';
      readonly error: GatewardenError;
      readonly retryAfterMs: number | undefined;
    };
