import type { ProcessIdentity } from '../../core/process-identity.js';
import type { HeldScope } from './held-scope.js';
import type { ProcessOwner } from './plan-reap.js';
import type { RollingOutput } from './rolling-output.js';

/** The conversation that a process belongs to and that hears of its end. */
export interface ProcessOrigin {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly platform: string;
  readonly chatId: string | undefined;
}

/** What never changes about a process. */
export interface ProcessFacts {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  /** epoch milliseconds */
  readonly startedAt: number;
  readonly identity: ProcessIdentity;
  readonly owner: ProcessOwner | undefined;
  readonly origin: ProcessOrigin;
  /** false: the turn waits for it, and nothing of it is kept afterwards */
  readonly isBackground: boolean;
  readonly persistOnRelease: boolean;
  readonly notifyOnComplete: boolean;
  readonly scopeName: string;
  readonly scopeTag: string;
}

export type ProcessState =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: string | null;
      readonly at: number;
    }
  /** `by` names who ended it */
  | { readonly kind: 'killed'; readonly by: string; readonly at: number }
  /** was asked to end and has not: it stays listed, and is asked again */
  | { readonly kind: 'stuck'; readonly by: string; readonly pids: readonly number[] }
  /** an adopted process that is gone: how it ended is not known and not made up */
  | { readonly kind: 'gone'; readonly at: number };

/** Something that a turn started, or that an earlier gateway left. */
export interface ToolProcess {
  readonly facts: ProcessFacts;
  readonly scope: HeldScope;
  /** undefined: adopted, so nobody has its output */
  readonly output: RollingOutput | undefined;
  /** the kernel ended some of it for want of memory */
  readonly ranOutOfMemory: boolean;
  /** it, or something that it left behind, lives: it can be ended, and must not be forgotten */
  readonly isOccupied: boolean;
  /** asks the system, not only what was told */
  look(): ProcessState;
  /** asks whether anything that it left behind still lives */
  checkTree(): Promise<void>;
  /** its own end and that of its output; rejects with the signal's reason */
  ended(signal: AbortSignal): Promise<void>;
  write(text: string, isLast: boolean): Promise<WriteOutcome>;
  /** Ends the whole tree; may be called again while something survives. */
  end(by: string, graceMs: number): Promise<void>;
}

/** `closed`: its input is, or never was open; `full`: it does not read what it was sent before */
export type WriteOutcome = 'written' | 'closed' | 'full';

export function isOver(state: ProcessState): boolean {
  return state.kind !== 'running' && state.kind !== 'stuck';
}

/** When it ended; undefined: it has not. */
export function endedAt(state: ProcessState): number | undefined {
  return 'at' in state ? state.at : undefined;
}
