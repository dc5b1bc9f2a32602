import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { claimIdentities } from '../ownership/claim-identities.js';
import { LiveRecordKeeper } from '../ownership/live-record.js';
import { removeHalfWritten } from '../store/json-file.js';
import { type ClaimOptions, claimProfile } from './profile-lock.js';

/** A loop that lives says so this often; three missed ones make its owner a silent one. */
const BEAT_EVERY_MS = 5000;

/** Of the profile's state, by whom owns it alone and at a stroke: a kill leaves drafts of them. */
const WRITTEN_WHOLE = [
  'gateway.json',
  'lifecycle.json',
  'processes.json',
  'process-results.json',
] as const;

/** That a profile is ours: its lock, its platform identities, and what we say about ourselves. */
export interface Tenure {
  serving(): void;
  draining(): void;
  /** the multiplexer tells whom else it serves */
  serves(profiles: readonly string[]): void;
  /** lets go of all of it; may be called twice */
  release(): void;
}

/**
 * Takes the profile, then its identities, before any adapter opens.
 * @throws GatewardenError what `claimProfile` and `claimIdentities` throw
 */
export async function takeTenure(
  assignment: GatewayAssignment,
  options: ClaimOptions,
): Promise<Tenure> {
  const { localSocket, ownership, stateDir } = assignment;
  const { lock, owner } = await claimProfile(assignment, options);
  removeHalfWritten(stateDir, WRITTEN_WHOLE);
  const record = new LiveRecordKeeper(join(stateDir, 'gateway.json'), {
    owner,
    phase: 'starting',
    isMultiplexer: ownership?.serves !== undefined,
    served: ownership?.serves ?? [],
    socket: localSocket,
    beatEveryMs: BEAT_EVERY_MS,
  });
  const undo = () => {
    record.close();
    lock.release();
  };
  try {
    const claims = await claimIdentities(ownership?.identities ?? [], {
      owner,
      stems: ownership?.identityStems ?? [],
      when: 'start',
      waitMs: options.waitMs,
      signal: options.signal,
    });
    return {
      serving: () => record.update({ phase: 'serving' }),
      draining: () => record.update({ phase: 'draining' }),
      serves: (served) => record.update({ isMultiplexer: true, served }),
      release: () => {
        claims.release();
        undo();
      },
    };
  } catch (thrown) {
    undo();
    throw thrown;
  }
}
