import { DEFAULT_PROFILE } from '../core/names.js';
import { isSameProcess } from '../core/process-identity.js';
import { type LivePhase, readRecordOf } from '../ownership/live-record.js';
import { livenessOfOwner } from '../store/place.js';
import { knownProfiles } from './known-profiles.js';

/** A gateway that runs without a supervisor, as its own record says while its process lives. */
export interface LiveGateway {
  readonly profile: string;
  readonly pid: number;
  readonly phase: LivePhase;
  /** whom its process serves besides */
  readonly serves: readonly string[];
  /** the profile whose process serves this one; null: its own */
  readonly servedBy: string | null;
}

/** Of these profiles, or of all. */
export function liveGateways(home: string, names: readonly string[]): readonly LiveGateway[] {
  const wanted = names.length === 0 ? knownProfiles(home) : names;
  const server = liveRecordOf(home, DEFAULT_PROFILE);
  return wanted.flatMap((profile): LiveGateway[] => {
    const record = liveRecordOf(home, profile);
    if (record === undefined) return [];
    const { identity } = record.owner;
    const isGuest =
      profile !== DEFAULT_PROFILE &&
      server !== undefined &&
      isSameProcess(server.owner.identity, identity);
    const { phase, served: serves } = record;
    const servedBy = isGuest ? DEFAULT_PROFILE : null;
    return [{ profile, pid: identity.pid, phase, serves, servedBy }];
  });
}

function liveRecordOf(home: string, profile: string) {
  const record = readRecordOf(home, profile);
  return record !== undefined && livenessOfOwner(record.owner) === 'alive' ? record : undefined;
}

const DOES: Readonly<Record<LivePhase, string>> = {
  starting: 'is about to serve it',
  serving: 'serves it',
  draining: 'is about to end',
};

export function describeLive({ profile, phase, pid, servedBy, serves }: LiveGateway): string {
  if (servedBy !== null) return `${profile}: served by the gateway of ${servedBy}, pid ${pid}`;
  const others = serves.length === 0 ? '' : `, and ${serves.join(', ')}`;
  return `${profile}: pid ${pid} ${DOES[phase]}${others}`;
}
