import { statSync } from 'node:fs';
import { homeLayout } from '../../config/paths.js';
import { describeOwner } from '../../core/owner.js';
import { checkLocking } from '../../ownership/check-locking.js';
import { fileSystemOf } from '../../ownership/file-system.js';
import { identityStems } from '../../ownership/identity-places.js';
import { readLease } from '../../ownership/lease-files.js';
import { isBeating, readRecordOf } from '../../ownership/live-record.js';
import { here, livenessOfOwner } from '../../store/place.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** Whether locks in the home exclude a second process: measured with one. */
export async function checkLocks({ home }: DoctorFacts): Promise<CheckResult> {
  const { stateDir } = homeLayout(home);
  if (statSync(stateDir, { throwIfNoEntry: false }) === undefined) {
    return fine('locks', 'not checked: there is no state directory yet');
  }
  const { name, storage } = fileSystemOf(stateDir);
  const verdict = await checkLocking(stateDir);
  const remedy = 'put the home on a local disk; until then only the lease keeps a second one away';
  const findings: Finding[] = [];
  if (verdict.kind === 'broken') {
    findings.push({ what: `locks on ${name} exclude nobody: ${verdict.reason}`, remedy });
  }
  if (verdict.kind === 'works' && storage === 'shared') {
    const what = `the home is on ${name}: its locks may not reach other machines that use it`;
    findings.push({ what, remedy });
  }
  const measured =
    verdict.kind === 'works'
      ? 'a second process was refused'
      : `${verdict.kind}: ${verdict.reason}`;
  return found('locks', `${name}: ${measured}`, findings);
}

/** Who says that they own the home and its profiles, and do they still move. Removes nothing. */
export function checkOwners({ env, home, names }: DoctorFacts): CheckResult {
  const findings = [leaseFinding(home), ...names.map((name) => recordFinding(home, name))];
  const places = identityStems(env).join(' and ');
  return found('owners', `accounts of platforms are claimed at ${places}`, findings);
}

function leaseFinding(home: string): Finding | undefined {
  let lease: ReturnType<typeof readLease>;
  try {
    lease = readLease(homeLayout(home).supervisorLease);
  } catch {
    // the check of the home tells what cannot be read
    return undefined;
  }
  if (lease === undefined || lease.isReleased) return undefined;
  const liveness = livenessOfOwner(lease.owner);
  if (liveness === 'alive' || liveness === 'unknown') return undefined;
  const owner = describeOwner(lease.owner, here());
  return liveness === 'dead'
    ? { what: `the lease names ${owner}, which is dead`, remedy: 'none: the next start takes it' }
    : {
        what: `the home belongs to ${owner}, which this process can neither see nor end`,
        remedy: 'stop it there; a gatewarden up here stands by until it is gone',
      };
}

/** Alive but without a beat: it holds the profile and does nothing (field case C8). */
function recordFinding(home: string, name: string): Finding | undefined {
  const record = readRecordOf(home, name);
  if (record === undefined || livenessOfOwner(record.owner) !== 'alive') return undefined;
  if (isBeating(record, Date.now())) return undefined;
  const seconds = Math.round((Date.now() - record.beatAt) / 1000);
  return {
    what: `${describeOwner(record.owner, here())} holds its profile and has not moved for ${seconds} s`,
    remedy: `ask why with: gatewarden why ${name}; end it with: kill ${record.owner.identity.pid}`,
  };
}
