import type { Environment } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { findDrift, isCurrent } from '../units/current.js';
import { findOwnUnits, type OwnUnit } from '../units/own-units.js';
import { remedyFor } from '../units/repair.js';
import { wantedUnits } from '../units/wanted.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** Installed units against what would be installed: budgets, paths and the launcher too. */
export async function checkUnits({ env, home }: DoctorFacts): Promise<CheckResult> {
  const units = await findOwnUnits(home, env);
  if (units.length === 0) return fine('units', 'none of this home is installed');
  const findings = [...units.map((unit) => driftFinding(unit, env)), twinFinding(units)];
  return found('units', units.map(({ path }) => path).join(', '), findings);
}

function driftFinding(unit: OwnUnit, env: Environment): Finding | undefined {
  try {
    if (isCurrent(findDrift(unit.target, wantedUnits(unit.target, env, '/bin/sh')))) {
      return undefined;
    }
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return { what: `${unit.path} cannot be judged: ${thrown.message}`, remedy: thrown.next };
  }
  return {
    what: `${unit.path}, or a file that it needs, is not what would be installed now`,
    remedy: remedyFor(unit),
  };
}

/** Each of the two would start at boot, and one of them would lose. */
function twinFinding(units: readonly OwnUnit[]): Finding | undefined {
  const [first, second] = units.filter(({ subject }) => subject.kind === 'supervisor');
  if (first === undefined || second === undefined) return undefined;
  return {
    what: `${first.path} and ${second.path} both run the supervisor of this home`,
    remedy: `remove one: gatewarden units uninstall ${second.target.manager} --${second.target.scope}`,
  };
}
