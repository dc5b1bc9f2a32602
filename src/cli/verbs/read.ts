import type { VerbSpec } from '../verb.js';
import { JSON_OPTION, PROFILES } from './words.js';

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
    name: 'version',
    summary: 'version, Node, containment and paths',
    arguments: [],
    options: [JSON_OPTION],
    takesProfile: false,
    examples: ['gatewarden version'],
    load: () => import('../commands/version.js'),
  },
];
