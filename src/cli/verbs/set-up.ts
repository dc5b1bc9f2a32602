import type { VerbSpec } from '../verb.js';

/** Verbs that write or explain files. */
export const SET_UP_VERBS: readonly VerbSpec[] = [
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
