import type { VerbSpec } from './verb.js';
import { READ_VERBS } from './verbs/read.js';
import { RUN_VERBS } from './verbs/run.js';
import { SET_UP_VERBS } from './verbs/set-up.js';
import { UNITS_VERBS } from './verbs/units.js';

/** Every verb; help shows them in this order. */
export const VERBS: readonly VerbSpec[] = [
  ...RUN_VERBS,
  ...READ_VERBS,
  ...UNITS_VERBS,
  ...SET_UP_VERBS,
];

/** One line over each family in the list of verbs. */
export const FAMILIES: Readonly<Record<string, string>> = {
  gateway: 'run one gateway without a supervisor',
  units: 'write, compare and remove the units of service managers',
  profile: 'list, add, show or remove profiles',
  config: 'check and explain the configuration',
};
