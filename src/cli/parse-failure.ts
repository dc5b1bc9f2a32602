import type { CommanderError } from 'commander';
import { nearest } from '../config/nearest.js';
import { GatewardenError } from '../core/errors.js';
import type { VerbSpec } from './verb.js';
import { GLOBAL_OPTIONS } from './verbs/words.js';
import { VERBS } from './verbs.js';

/**
 * Commander tells only its code and a sentence; the words in quotes are what was typed.
 * This is the one place that reads them.
 */
export function toUsageError(thrown: CommanderError, argv: readonly string[]): GatewardenError {
  const quoted = /'([^']*)'/.exec(thrown.message)?.[1] ?? '';
  const verb = verbIn(argv);
  switch (thrown.code) {
    case 'commander.unknownCommand':
      return unknownVerb(quoted, argv);
    case 'commander.unknownOption':
      return unknownOption(quoted, verb);
    case 'commander.optionMissingArgument':
      return badArgument(`expected a value after ${quoted}`, 'nothing', helpFor(verb));
    case 'commander.missingArgument':
      return badArgument(`expected ${quoted}`, 'nothing', helpFor(verb));
    case 'commander.excessArguments':
      return badArgument(tooMany(verb), 'more', helpFor(verb));
    default:
      return badArgument('expected a valid command line', thrown.message, helpFor(verb));
  }
}

/** `help VERB` of one that there is not; undefined: help as such was asked for. */
export function unknownTopic(argv: readonly string[]): GatewardenError | undefined {
  const typed = argv[argv.indexOf('help') + 1];
  return argv.includes('help') && typed !== undefined ? unknownVerb(typed, argv) : undefined;
}

function unknownVerb(typed: string, argv: readonly string[]): GatewardenError {
  const family = argv.find((word) => VERBS.some((verb) => verb.name.startsWith(`${word} `)));
  const known =
    family === undefined || family === typed
      ? VERBS.map((verb) => verb.name.split(' ')[0] ?? verb.name)
      : VERBS.filter((verb) => verb.name.startsWith(`${family} `)).map((verb) =>
          verb.name.slice(family.length + 1),
        );
  const near = nearest(typed, known);
  const prefix = family === undefined || family === typed ? '' : `${family} `;
  return new GatewardenError('unknown-verb', {
    got: `${prefix}${typed}`,
    hint:
      near === undefined
        ? `see the verbs with: gatewarden ${prefix}--help`
        : `did you mean: gatewarden ${prefix}${near}`,
  });
}

function unknownOption(typed: string, verb: VerbSpec | undefined): GatewardenError {
  const specs = [...(verb?.options ?? []), ...GLOBAL_OPTIONS];
  const near = nearest(
    typed.replace(/=.*/, ''),
    specs.map((spec) => `--${spec.long}`),
  );
  const of = verb === undefined ? 'gatewarden' : `gatewarden ${verb.name}`;
  return badArgument(
    `expected an option of ${of}`,
    typed,
    near === undefined ? helpFor(verb) : `did you mean ${near}? ${helpFor(verb)}`,
  );
}

function tooMany(verb: VerbSpec | undefined): string {
  const most = verb?.arguments.length ?? 0;
  return `expected ${most === 0 ? 'no argument' : `at most ${most} argument${most === 1 ? '' : 's'}`}`;
}

function badArgument(expected: string, got: string, hint: string): GatewardenError {
  return new GatewardenError('bad-argument', { expected, got, hint });
}

/** The verb a command line is about, found without the parser: it has just failed. */
function verbIn(argv: readonly string[]): VerbSpec | undefined {
  const line = argv.filter((word) => !word.startsWith('-')).join(' ');
  return VERBS.filter((verb) => ` ${line} `.includes(` ${verb.name} `)).at(-1);
}

function helpFor(verb: VerbSpec | undefined): string {
  return `see: gatewarden ${verb === undefined ? '' : `${verb.name} `}--help`;
}
