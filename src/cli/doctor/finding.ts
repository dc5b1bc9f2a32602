import type { ConfigProblem, LoadedConfig } from '../../config/model.js';
import type { Environment } from '../../config/paths.js';
import type { Reach } from '../control/reach.js';

/** One thing that is wrong and what cures it. */
export interface Finding {
  readonly what: string;
  readonly remedy: string;
}

/** The outcome of one check: what it looked at, and what it did not like. */
export interface CheckResult {
  readonly check: string;
  /** what was seen, one line; said also when all is well */
  readonly seen: string;
  readonly findings: readonly Finding[];
}

/** What the checks work on; read once before them. */
export interface DoctorFacts {
  readonly home: string;
  readonly env: Environment;
  readonly uid: number;
  readonly reach: Reach;
  /** profiles that have a directory, good or bad */
  readonly names: readonly string[];
  /** undefined when the home or the host file cannot be read */
  readonly config: LoadedConfig | undefined;
  readonly problems: readonly ConfigProblem[];
  /** of the configuration: told, but no reason to refuse it */
  readonly notices: readonly string[];
}

export type Check = (facts: DoctorFacts) => CheckResult | Promise<CheckResult>;

export function fine(check: string, seen: string): CheckResult {
  return { check, seen, findings: [] };
}

export function found(
  check: string,
  seen: string,
  findings: readonly (Finding | undefined)[],
): CheckResult {
  return { check, seen, findings: findings.filter((one) => one !== undefined) };
}
