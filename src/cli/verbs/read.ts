import type { VerbSpec } from '../verb.js';
import { JSON_OPTION, MAYBE_PROFILE, ONE_PROFILE, PROFILES, SINCE_OPTION } from './words.js';

/** Verbs that only read; every one has --json. */
export const READ_VERBS: readonly VerbSpec[] = [
  {
    name: 'status',
    summary: 'what runs, what does not, why, and what happens next',
    arguments: [PROFILES],
    options: [JSON_OPTION, { long: 'watch', summary: 'show it again whenever it changes' }],
    takesProfile: true,
    examples: ['gatewarden status', 'gatewarden status coder --json', 'gatewarden status --watch'],
    load: () => import('../commands/status.js'),
  },
  {
    name: 'why',
    summary: 'one paragraph: why a profile is in its state and what to do',
    details: 'Works without a supervisor too: then it tells what was last known.',
    arguments: [ONE_PROFILE],
    options: [JSON_OPTION],
    takesProfile: true,
    examples: ['gatewarden why coder'],
    load: () => import('../commands/why.js'),
  },
  {
    name: 'history',
    summary: 'deaths, starts, parks and verbs, newest last',
    details: 'Works without a supervisor too.',
    arguments: [MAYBE_PROFILE],
    options: [
      SINCE_OPTION,
      {
        long: 'limit',
        value: 'COUNT',
        kind: 'count',
        summary: 'at most this many of the newest (default: 50)',
      },
      JSON_OPTION,
    ],
    takesProfile: true,
    examples: ['gatewarden history coder --since 2h', 'gatewarden history --limit 10 --json'],
    load: () => import('../commands/history.js'),
  },
  {
    name: 'events',
    summary: 'follow everything that happens, as it happens',
    details: 'Goes on by itself when the supervisor was restarted. Ctrl-C leaves.',
    arguments: [],
    options: [
      {
        long: 'since',
        value: 'CURSOR',
        kind: 'cursor',
        summary: 'begin after this event (the number in front of each line)',
      },
      JSON_OPTION,
    ],
    takesProfile: false,
    examples: ['gatewarden events', 'gatewarden events --since 120 --json'],
    load: () => import('../commands/events.js'),
  },
  {
    name: 'doctor',
    summary: 'check everything that could go wrong on this host',
    details: 'Each finding has a remedy. Exits with 0 when there is none, with 1 otherwise.',
    arguments: [],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden doctor'],
    load: () => import('../commands/doctor.js'),
  },
  {
    name: 'version',
    summary: 'version, Node, containment and paths',
    arguments: [],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden version'],
    load: () => import('../commands/version.js'),
  },
];
