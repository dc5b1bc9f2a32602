import type { OptionSpec, VerbSpec } from '../verb.js';

/** What may follow a prefix of verb words; every shell's script is made from these rows. */
export interface CompletionRow {
  /** `status`, `profile add`, or empty for the top */
  readonly verb: string;
  readonly summary: string;
  /** words that may come next besides options */
  readonly words: readonly CompletionWord[];
  readonly options: readonly OptionSpec[];
  readonly completesProfiles: boolean;
}

export interface CompletionWord {
  readonly word: string;
  readonly summary: string;
}

/** The verbs' first words, the families, and every verb. */
export function completionRows(verbs: readonly VerbSpec[]): readonly CompletionRow[] {
  const families = [...new Set(verbs.map((verb) => verb.name.split(' ')))]
    .filter((words) => words.length > 1)
    .map(([family = '']) => family);
  return [
    row('', '', firstWords(verbs)),
    ...[...new Set(families)].map((family) => row(family, '', membersOf(family, verbs))),
    ...verbs.map((verb) => ({
      verb: verb.name,
      summary: verb.summary,
      words: verb.arguments.flatMap(({ complete }) =>
        typeof complete === 'string' ? [] : complete.map((word) => ({ word, summary: '' })),
      ),
      options: verb.options,
      completesProfiles: verb.arguments.some(({ complete }) => complete === 'profile'),
    })),
  ];
}

/** Names of the profiles of the home that is in force, without starting the program. */
export const PROFILES_SHELL = `command ls -1 -- "\${GATEWARDEN_HOME:-$HOME/.gatewarden}/profiles" 2>/dev/null`;

function row(verb: string, summary: string, words: readonly CompletionWord[]): CompletionRow {
  return { verb, summary, words, options: [], completesProfiles: false };
}

function firstWords(verbs: readonly VerbSpec[]): readonly CompletionWord[] {
  const words = new Map<string, string>();
  for (const verb of verbs) {
    const [first = '', second] = verb.name.split(' ');
    if (!words.has(first)) words.set(first, second === undefined ? verb.summary : `${first} …`);
  }
  return [...words].map(([word, summary]) => ({ word, summary }));
}

function membersOf(family: string, verbs: readonly VerbSpec[]): readonly CompletionWord[] {
  return verbs
    .filter((verb) => verb.name.startsWith(`${family} `))
    .map((verb) => ({ word: verb.name.slice(family.length + 1), summary: verb.summary }));
}
