import { MANAGERS } from '../../../units/managers.js';
import type { ArgumentSpec, OptionSpec, VerbSpec } from '../verb.js';
import { JSON_OPTION } from './words.js';

const MANAGER: ArgumentSpec = {
  name: 'MANAGER',
  required: true,
  variadic: false,
  complete: MANAGERS,
  summary: MANAGERS.join(', '),
};

/** What is meant: the default is one unit for the supervisor. */
const WHICH: readonly OptionSpec[] = [
  { long: 'all-profiles', summary: 'one unit for each profile instead of one for the supervisor' },
  { long: 'user', summary: 'units of your own account (default unless you are root)' },
  { long: 'system', summary: 'units of the host (default for root)' },
  {
    long: 'run-as',
    value: 'USER',
    summary: 'the account of a service of the host (default: the one that called sudo)',
  },
];

const OUT: OptionSpec = {
  long: 'out',
  value: 'DIR',
  summary: 'the folder for units instead of the one that the manager reads',
};

const units = () => import('../commands/units.js');

/** Verbs about what runs us. */
export const UNITS_VERBS: readonly VerbSpec[] = [
  {
    name: 'units print',
    summary: 'show the files that install would write',
    details: 'With --out they are written there, and nothing else happens.',
    arguments: [MANAGER],
    options: [...WHICH, OUT, JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden units print systemd', 'gatewarden units print s6 -p coder --out slots'],
    load: units,
  },
];
