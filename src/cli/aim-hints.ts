import { VERBS } from './verbs.js';

/**
 * The first words of all verbs: what stands after our name when a command is meant. A home often
 * bears our name, too: what ends a path is no command.
 */
const COMMAND = new RegExp(
  `(?<![\\w./-])gatewarden (?=(?:${[...new Set(VERBS.map((verb) => verb.name.split(' ')[0]))].join('|')})\\b)`,
  'g',
);

/** Commands in a text as they must be typed for this home: `gatewarden --home X up`. */
export function aimHints(text: string, command: string): string {
  // a function, because a path may hold `$`
  return text.replace(COMMAND, () => `${command} `);
}
