import type { TurnStatus } from '../sessions/records.js';
import type { Interruption } from './turn.js';

export interface MarkFacts {
  /** it was marked before this turn began */
  readonly isPending: boolean;
  /** a drain has begun, so everything that runs is marked */
  readonly isDraining: boolean;
  readonly status: TurnStatus;
  /** what cut it off; undefined: nothing did */
  readonly cutBy: Interruption['kind'] | undefined;
}

export type MarkStep = 'keep' | 'clear-resume' | 'uncount-resume';

/** What becomes of a session's mark when a turn of it ends. Pure. */
export function judgeMark({ isPending, isDraining, status, cutBy }: MarkFacts): MarkStep {
  // the very end that the mark is for
  if (cutBy === 'drain') return 'keep';
  if (status === 'answered') return isPending || isDraining ? 'clear-resume' : 'keep';
  if (!isPending) return isDraining ? 'clear-resume' : 'keep';
  // nobody has answered what was cut off: the next message still has to be told
  if (status === 'failed') return 'uncount-resume';
  // somebody wanted it to end: it must not begin again by itself
  return cutBy === 'caller-left' ? 'keep' : 'clear-resume';
}
