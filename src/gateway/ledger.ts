import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { Ledger } from '../store/ledger/ledger.js';
import type { EarlierLife } from '../store/ledger/record.js';
import { identityOf } from '../store/process-table.js';
import type { GatewayLog } from './log.js';

/** Begins the record of this gateway's life, and tells how the one before it ended. */
export function openLedger({ stateDir }: GatewayAssignment, log: GatewayLog): Ledger {
  const { pid } = process;
  const identity = identityOf(pid) ?? { pid, startTicks: undefined, bootId: undefined };
  const ledger = new Ledger({ path: join(stateDir, 'lifecycle.json'), identity });
  const { earlier } = ledger;
  if (earlier.kind === 'unclean') {
    const { detail, suspectsMemory } = earlier;
    log.warn('the gateway before ended without a word', { detail, suspectsMemory });
  }
  if (earlier.kind === 'alive') {
    log.info('taking over from a gateway that still ends', { owner: earlier.pid });
  }
  return ledger;
}

/** The database of such a gateway may be in pieces. */
export function endedBadly(earlier: EarlierLife): boolean {
  return earlier.kind === 'unclean' || (earlier.kind === 'ended' && !earlier.isClean);
}
