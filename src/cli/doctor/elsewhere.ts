import { readFileSync, readlinkSync } from 'node:fs';
import { homeLayout, profileLayout } from '../../config/paths.js';
import { type Owner, parseOwner } from '../../core/owner.js';
import { readLease } from '../../ownership/lease-files.js';
import { readJsonFile } from '../../store/json-file.js';
import { ownerPath } from '../../store/lock-owner.js';
import { livenessOfOwner } from '../../store/place.js';

/**
 * Owners of the home, and of one profile of it, that live in another container or on another
 * host: our pids prove nothing of them, nor of what they write.
 */
export function ownersElsewhere(home: string, profile?: string): readonly Owner[] {
  const { supervisorHint, supervisorLock } = homeLayout(home);
  const paths = [supervisorHint, ownerPath(supervisorLock)];
  if (profile !== undefined) {
    const { gatewayHint, gatewayLock } = profileLayout(home, profile);
    paths.push(gatewayHint, ownerPath(gatewayLock));
  }
  return [leaseOwner(home), ...paths.map(recordedOwner)].filter(
    (owner) => owner !== undefined && livenessOfOwner(owner) === 'elsewhere',
  ) as Owner[];
}

/** A process of ours by another number: a parent namespace sees what its children do not. */
export function isSeenAs(pid: number, { identity, place }: Owner): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/ns/pid`) !== place?.pidNamespace) return false;
    const [, pids = ''] =
      /^NSpid:\s*(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(pids.trim().split(/\s+/).at(-1)) === identity.pid;
  } catch {
    // gone, or somebody else's
    return false;
  }
}

function leaseOwner(home: string): Owner | undefined {
  try {
    const lease = readLease(homeLayout(home).supervisorLease);
    return lease === undefined || lease.isReleased ? undefined : lease.owner;
  } catch {
    // the check of the home tells what cannot be read
    return undefined;
  }
}

/** The record of a lock is an owner, a hint names one. */
function recordedOwner(path: string): Owner | undefined {
  const raw = readJsonFile(path);
  if (typeof raw !== 'object' || raw === null) return undefined;
  return parseOwner(raw) ?? parseOwner((raw as Readonly<Record<string, unknown>>)['owner']);
}
