import { endedAt, type ProcessState } from './tool-process.js';

export interface PruneFacts {
  /** oldest first */
  readonly processes: readonly {
    readonly id: string;
    readonly state: ProcessState;
    /** something of its tree lives: it must stay listed, or nobody could end it */
    readonly isOccupied: boolean;
  }[];
  readonly now: number;
  readonly keptMs: number;
  /** how many may stay */
  readonly max: number;
}

/** Which ended processes are forgotten: the old ones, and the oldest where room is needed. Pure. */
export function planPrune({ processes, now, keptMs, max }: PruneFacts): string[] {
  const ended = processes
    .flatMap(({ id, state, isOccupied }) => {
      const at = endedAt(state);
      return at === undefined || isOccupied ? [] : [{ id, at }];
    })
    .sort((left, right) => left.at - right.at);
  const excess = Math.max(0, processes.length - max);
  return ended.filter(({ at }, index) => index < excess || now - at >= keptMs).map(({ id }) => id);
}
