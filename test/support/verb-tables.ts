import type { ArgumentSpec, OptionSpec, VerbSpec } from '../../src/cli/verb.js';
import { GLOBAL_OPTIONS } from '../../src/cli/verbs/words.js';
import { VERBS } from '../../src/cli/verbs.js';
import { tableRow } from './pages.js';

/** The parts of docs/cli.md that are made from the verb table, by the name of their place. */
export function verbTables(): Readonly<Record<string, () => string>> {
  const byVerb = VERBS.map((verb) => [verb.name, () => verbText(verb)] as const);
  return Object.fromEntries([
    ['verbs', () => overview()],
    ['everywhere', () => optionTable(GLOBAL_OPTIONS)],
    ...byVerb,
  ]);
}

function overview(): string {
  return [
    tableRow(['verb', 'does']),
    tableRow(['---', '---']),
    ...VERBS.map((verb) =>
      tableRow([`[\`${verb.name}\`](#${verb.name.replaceAll(' ', '-')})`, verb.summary]),
    ),
  ].join('\n');
}

function verbText(verb: VerbSpec): string {
  const usage = ['gatewarden', verb.name, ...verb.arguments.map(argumentText)];
  const own = verb.takesProfile && verb.arguments.length === 0 ? ['-p NAME'] : [];
  const parts = [`\`${[...usage, ...own].join(' ')}\`: ${verb.summary}.`];
  if (verb.details !== undefined) parts.push(verb.details);
  if (verb.options.length > 0) parts.push(optionTable(verb.options));
  return parts.join('\n\n');
}

function argumentText(argument: ArgumentSpec): string {
  const name = argument.variadic ? `${argument.name}…` : argument.name;
  return argument.required ? name : `[${name}]`;
}

function optionTable(options: readonly OptionSpec[]): string {
  return [
    tableRow(['option', 'means']),
    tableRow(['---', '---']),
    ...options.map((option) => tableRow([optionText(option), option.summary])),
  ].join('\n');
}

function optionText({ long, short, value }: OptionSpec): string {
  const flag = `\`--${long}${value === undefined ? '' : ` ${value}`}\``;
  return short === undefined ? flag : `\`-${short}\`, ${flag}`;
}
