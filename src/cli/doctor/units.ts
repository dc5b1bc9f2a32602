import type { Environment } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { type Drift, findDrift, isCurrent } from '../units/current.js';
import { findOwnUnits, type OwnUnit } from '../units/own-units.js';
import { remedyFor } from '../units/repair.js';
import { describeTwins, findTwins, remedyForTwins } from '../units/twins.js';
import { wantedUnits } from '../units/wanted.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** Installed units against what would be installed: budgets, paths and the launcher too. */
export async function checkUnits({ env, home }: DoctorFacts): Promise<CheckResult> {
  const units = await findOwnUnits(home, env);
  if (units.length === 0) return fine('units', 'none of this home is installed');
  const twins = findTwins(units).map((pair) => ({
    what: describeTwins(pair),
    remedy: remedyForTwins(pair),
  }));
  const findings = [...units.map((unit) => judgeDrift(unit, env).finding), ...twins];
  return found('units', units.map(({ path }) => path).join(', '), findings);
}

/** Installed units that are not what would be installed: this check tells all about them. */
export async function findStale(home: string, env: Environment): Promise<readonly OwnUnit[]> {
  const units = await findOwnUnits(home, env);
  return units.filter((unit) => judgeDrift(unit, env).isStale);
}

interface Judged {
  readonly finding: Finding | undefined;
  /** the unit itself, not only a file that it needs */
  readonly isStale: boolean;
}

function judgeDrift(unit: OwnUnit, env: Environment): Judged {
  const drift = driftOf(unit, env);
  if ('remedy' in drift) return { finding: drift, isStale: false };
  if (isCurrent(drift)) return { finding: undefined, isStale: false };
  return {
    finding: {
      what: `${unit.path}, or a file that it needs, is not what would be installed now`,
      remedy: remedyFor(unit),
    },
    isStale: drift.units.length > 0,
  };
}

function driftOf(unit: OwnUnit, env: Environment): Drift | Finding {
  try {
    return findDrift(unit.target, wantedUnits(unit.target, env, '/bin/sh'));
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return { what: `${unit.path} cannot be judged: ${thrown.message}`, remedy: thrown.next };
  }
}
