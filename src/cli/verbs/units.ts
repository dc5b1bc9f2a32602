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
    details:
      'With --out the units are written there and, so that they can start, their launcher into the home; no manager is told.',
    arguments: [MANAGER],
    options: [...WHICH, OUT, JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden units print systemd', 'gatewarden units print s6 -p coder --out slots'],
    load: units,
  },
  {
    name: 'units install',
    summary: 'write units and tell the manager; repair what is stale',
    details:
      'By default one unit for the supervisor, with -p or --all-profiles one for each gateway. What the service would refuse at every start is refused here with the same code, and nothing is written then. With --out the manager is not told.',
    arguments: [MANAGER],
    options: [
      ...WHICH,
      OUT,
      {
        long: 'now',
        summary: 'start it too, or start it afresh where it runs with what was stale',
      },
      JSON_OPTION,
    ],
    takesProfile: true,
    examples: [
      'gatewarden units install systemd --now',
      'sudo gatewarden units install systemd --system --run-as bots',
    ],
    load: units,
  },
  {
    name: 'units uninstall',
    summary: 'stop and remove units of this home; its data stays',
    arguments: [MANAGER],
    options: [...WHICH, OUT],
    takesProfile: true,
    examples: ['gatewarden units uninstall systemd'],
    load: units,
  },
  {
    name: 'units diff',
    summary: 'what install would change',
    details: 'Exits with 1 when that is anything.',
    arguments: [MANAGER],
    options: [...WHICH, OUT, JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden units diff systemd'],
    load: units,
  },
  {
    name: 'units verify',
    summary: "let the manager's own checker look at the units",
    arguments: [MANAGER],
    options: [...WHICH, JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden units verify systemd'],
    load: units,
  },
];
