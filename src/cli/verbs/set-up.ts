import type { VerbSpec } from '../verb.js';
import { DRIVER_OPTION, JSON_OPTION, NEW_PROFILE, ONE_PROFILE, PORT_OPTION } from './words.js';

const profile = () => import('../commands/profile.js');
const config = () => import('../commands/config.js');

/** Verbs that write or explain files. */
export const SET_UP_VERBS: readonly VerbSpec[] = [
  {
    name: 'init',
    summary: 'write a commented starter home',
    details: 'Never overwrites a file that exists.',
    arguments: [],
    options: [DRIVER_OPTION, PORT_OPTION],
    takesProfile: true,
    examples: ['gatewarden init', 'gatewarden init --profile coder --driver openai --port 8700'],
    load: () => import('../commands/init.js'),
  },
  {
    name: 'profile list',
    summary: 'the profiles of this home',
    arguments: [],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden profile list'],
    load: profile,
  },
  {
    name: 'profile add',
    summary: 'write a new profile',
    arguments: [NEW_PROFILE],
    options: [DRIVER_OPTION, PORT_OPTION],
    takesProfile: true,
    examples: ['gatewarden profile add coder --driver openai'],
    load: profile,
  },
  {
    name: 'profile show',
    summary: "a profile's effective settings, without secrets",
    arguments: [ONE_PROFILE],
    options: [JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden profile show coder'],
    load: profile,
  },
  {
    name: 'profile remove',
    summary: 'remove a profile; its state and logs stay',
    details: 'A profile that the supervisor runs is stopped first.',
    arguments: [ONE_PROFILE],
    options: [
      { long: 'purge', summary: 'delete its state, secrets and logs too; asks first' },
      { long: 'yes', short: 'y', summary: 'do not ask' },
    ],
    takesProfile: true,
    examples: ['gatewarden profile remove coder', 'gatewarden profile remove coder --purge --yes'],
    load: profile,
  },
  {
    name: 'config check',
    summary: 'check everything that `up` would read; all problems at once',
    arguments: [],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden config check'],
    load: config,
  },
  {
    name: 'config schema',
    summary: 'the JSON Schema of a configuration file, for editors',
    arguments: [
      {
        name: 'FILE',
        required: false,
        variadic: false,
        complete: ['host', 'profile'],
        summary: 'host or profile (default: profile)',
      },
    ],
    options: [{ ...JSON_OPTION, summary: 'accepted; the output is JSON already' }],
    takesProfile: false,
    examples: ['gatewarden config schema profile > profile.schema.json'],
    load: config,
  },
  {
    name: 'config explain',
    summary: 'what a configuration key means, takes and defaults to',
    arguments: [
      {
        name: 'KEY',
        required: true,
        variadic: false,
        complete: 'nothing',
        summary: 'a dotted key such as drain_seconds or platforms.api_server.port',
      },
    ],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden config explain drain_seconds'],
    load: config,
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    arguments: [
      {
        name: 'SHELL',
        required: true,
        variadic: false,
        complete: ['bash', 'zsh', 'fish'],
        summary: 'bash, zsh or fish',
      },
    ],
    options: [],
    takesProfile: false,
    examples: ['source <(gatewarden completion bash)'],
    load: () => import('../commands/completion.js'),
  },
];
