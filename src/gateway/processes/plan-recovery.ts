import { isSameProcess, type ProcessIdentity } from '../../core/process-identity.js';
import type { Liveness } from '../../store/process-table.js';
import type { CheckpointEntry } from './checkpoint-file.js';

/** What to do with one process that a checkpoint names. */
export type Recovery =
  /** another gateway that lives wrote it: not ours to touch or to forget */
  | { readonly kind: 'leave'; readonly entry: CheckpointEntry }
  /** it still runs: listed again, without its output */
  | { readonly kind: 'adopt'; readonly entry: CheckpointEntry }
  /** itself gone, or its pid belongs to a stranger: only what its scope still holds is ended */
  | { readonly kind: 'end-scope'; readonly entry: CheckpointEntry };

export interface RecoveryFacts {
  readonly entries: readonly CheckpointEntry[];
  readonly self: ProcessIdentity;
  readonly livenessOf: (identity: ProcessIdentity) => Liveness;
}

/** Decides about everything that an earlier gateway wrote down. Pure but for the question asked. */
export function planRecovery({ entries, self, livenessOf }: RecoveryFacts): Recovery[] {
  return entries.map((entry) => {
    const isOurs = isSameProcess(entry.writer, self);
    if (!isOurs && livenessOf(entry.writer) === 'alive') return { kind: 'leave', entry };
    // `unknown` is no proof: a stranger must never be adopted, because what is adopted is killed
    return { kind: livenessOf(entry.identity) === 'alive' ? 'adopt' : 'end-scope', entry };
  });
}
