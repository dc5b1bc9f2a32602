import type { OptionSpec, VerbSpec } from '../verb.js';
import { MAYBE_PROFILE, PROFILES } from './words.js';

const ALL: OptionSpec = { long: 'all', summary: 'every profile' };
const NO_WAIT: OptionSpec = { long: 'no-wait', summary: 'ask and return at once' };
const TIMEOUT: OptionSpec = {
  long: 'timeout',
  value: 'SECONDS',
  kind: 'seconds',
  summary: 'stop waiting after this time and exit with 2 (default: wait until it is settled)',
};

const operate = () => import('../commands/operate.js');

/** Verbs that run something or change what runs. */
export const RUN_VERBS: readonly VerbSpec[] = [
  {
    name: 'up',
    summary: 'run the supervisor and its profiles in the foreground',
    details:
      'Without a home it writes a starter home first and says so. Ctrl-C stops everything orderly, a second Ctrl-C hurries.',
    arguments: [],
    options: [
      { long: 'once', summary: 'no restarts; exit with the worst code when all have ended' },
      { long: 'replace', summary: 'take over from the supervisor that owns this home' },
      {
        long: 'no-standby',
        summary:
          'fail, instead of waiting, while the owner lives in another container or on another host',
      },
    ],
    takesProfile: false,
    examples: ['gatewarden up', 'gatewarden --home /srv/bots up'],
    isService: true,
    load: () => import('../commands/up.js'),
  },
  {
    name: 'start',
    summary: 'start profiles and wait until they are ready',
    details: 'Forgets earlier deaths: a parked or backing-off profile starts at once.',
    arguments: [PROFILES],
    options: [ALL, NO_WAIT, TIMEOUT],
    takesProfile: true,
    examples: ['gatewarden start coder', 'gatewarden start --all --timeout 60'],
    load: operate,
  },
  {
    name: 'stop',
    summary: 'drain and stop profiles, and keep them stopped',
    arguments: [PROFILES],
    options: [ALL, NO_WAIT, TIMEOUT],
    takesProfile: true,
    examples: ['gatewarden stop coder', 'gatewarden stop --all --no-wait'],
    load: operate,
  },
  {
    name: 'restart',
    summary: 'drain, end and start profiles; no connection is refused meanwhile',
    arguments: [PROFILES],
    options: [
      ALL,
      { long: 'now', summary: 'skip the drain: interrupt what is running' },
      NO_WAIT,
      TIMEOUT,
    ],
    takesProfile: true,
    examples: ['gatewarden restart coder', 'gatewarden restart coder --now'],
    load: operate,
  },
  {
    name: 'reload',
    summary: 'read the configuration again and touch only what changed',
    details:
      'Without names, or with --all: the host file and every profile, new and removed ones too.',
    arguments: [PROFILES],
    options: [ALL, NO_WAIT, TIMEOUT],
    takesProfile: true,
    examples: ['gatewarden reload --all'],
    load: operate,
  },
  {
    name: 'chat',
    summary: 'talk to a profile from the terminal',
    details:
      'Reads the message from stdin when it is not a terminal and prints the answer alone. In a terminal: /new begins a new conversation, Ctrl-C stops the answer, Ctrl-D leaves.',
    arguments: [MAYBE_PROFILE],
    options: [],
    takesProfile: true,
    examples: ['gatewarden chat', 'echo hello | gatewarden chat coder'],
    load: () => import('../commands/chat.js'),
  },
  {
    name: 'gateway run',
    summary: 'run one gateway in the foreground, without a supervisor',
    arguments: [],
    options: [
      { long: 'replace', summary: 'end the gateway that serves this profile now first' },
      { long: 'force', summary: 'run beside a multiplexer or a service that has the profile' },
    ],
    takesProfile: true,
    examples: ['gatewarden gateway run -p coder'],
    isService: true,
    load: () => import('../commands/gateway-run.js'),
  },
  {
    name: 'reap',
    summary: 'end what a stopped systemd unit left in its cgroup',
    details:
      'For the ExecStopPost line of a unit, not for people. It is refused (exit 1) unless its parent is systemd, while a supervisor or a gateway of its own still lives in the cgroup, and in the root cgroup. Exits with 0 also when there is no cgroup v2 or nothing was left.',
    arguments: [],
    options: [],
    takesProfile: false,
    examples: ['gatewarden reap'],
    load: () => import('../commands/reap.js'),
  },
];
