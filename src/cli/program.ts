import { Argument, Command, CommanderError, Option } from 'commander';
import { GatewardenError } from '../core/errors.js';
import { packageVersion } from '../core/version.js';
import { toUsageError, unknownTopic } from './parse-failure.js';
import { readOptions, readWords } from './read-values.js';
import type { Invocation, OptionSpec, VerbSpec } from './verb.js';
import { GLOBAL_OPTIONS } from './verbs/words.js';
import { FAMILIES, VERBS } from './verbs.js';

/** What a command line asks for. */
export type Parsed =
  | {
      readonly kind: 'run';
      readonly verb: VerbSpec;
      readonly invocation: Invocation;
      readonly globals: Globals;
    }
  /** a text to show: help, the version */
  | { readonly kind: 'text'; readonly text: string }
  /** no verb at all: the help, as an error */
  | { readonly kind: 'nothing'; readonly text: string };

export interface Globals {
  readonly home: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
}

/** @throws GatewardenError unknown-verb, bad-argument */
export function parseCommandLine(argv: readonly string[], columns: number): Parsed {
  let found: { verb: VerbSpec; command: Command } | undefined;
  let text = '';
  const program = buildProgram(
    (part) => {
      text += part;
    },
    (verb, command) => {
      found = { verb, command };
    },
    columns,
  );
  try {
    program.parse(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return { kind: 'text', text };
    if (thrown.code === 'commander.help') {
      const unknown = unknownTopic(argv);
      if (unknown !== undefined) throw unknown;
      return { kind: 'nothing', text };
    }
    throw toUsageError(thrown, argv);
  }
  if (found === undefined) return { kind: 'nothing', text: program.helpInformation() };
  return toInvocation(found.verb, found.command);
}

function toInvocation(verb: VerbSpec, command: Command): Parsed {
  const all: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const profile = typeof all.profile === 'string' ? all.profile : undefined;
  if (all.home === '') {
    const hint = 'name a directory: --home DIR, or leave it away';
    const expected = 'expected a directory after --home';
    throw new GatewardenError('bad-argument', { expected, got: 'an empty text', hint });
  }
  const options = readOptions(verb, command.opts());
  const words = readWords(verb, command.args, profile);
  return {
    kind: 'run',
    verb,
    invocation: { verb: verb.name, words, options, profile },
    globals: {
      home: typeof all.home === 'string' ? all.home : undefined,
      quiet: all.quiet === true,
      verbose: all.verbose === true,
      color: all.color !== false,
    },
  };
}

function buildProgram(
  write: (text: string) => void,
  onVerb: (verb: VerbSpec, command: Command) => void,
  columns: number,
): Command {
  const program = new Command('gatewarden');
  // inherited by every command made below
  program.exitOverride().configureOutput({
    writeOut: write,
    writeErr: write,
    outputError: () => undefined,
    getOutHelpWidth: () => columns,
    getErrHelpWidth: () => columns,
  });
  program
    .description('keeps chat-agent gateways alive')
    .usage('VERB [arguments] [options]')
    .version(packageVersion(), '--version', 'print the version alone')
    .helpOption('-h, --help', 'what the verb does and takes')
    .helpCommand('help [VERB]', 'the same as VERB --help')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nFirst run: gatewarden up, then gatewarden chat in another terminal.');
  for (const spec of GLOBAL_OPTIONS) if (spec.long !== 'help') program.addOption(toOption(spec));
  for (const verb of VERBS) addVerb(program, verb, onVerb);
  return program;
}

function addVerb(
  program: Command,
  verb: VerbSpec,
  onVerb: (verb: VerbSpec, command: Command) => void,
): void {
  const [family, name] = splitName(verb.name);
  const command = (family === undefined ? program : familyOf(program, family)).command(name);
  command.summary(verb.summary);
  command.description(
    verb.details === undefined ? verb.summary : `${verb.summary}\n\n${verb.details}`,
  );
  for (const spec of verb.arguments) {
    const shown = spec.variadic ? `${spec.name}...` : spec.name;
    command.addArgument(new Argument(spec.required ? `<${shown}>` : `[${shown}]`, spec.summary));
  }
  for (const spec of verb.options) command.addOption(toOption(spec));
  command.addHelpText(
    'after',
    `\nExamples:\n${verb.examples.map((line) => `  ${line}`).join('\n')}`,
  );
  // -p may stand in for a required NAME, so readWords checks what is missing
  for (const argument of command.registeredArguments) {
    if (verb.takesProfile) argument.required = false;
  }
  command.action(() => onVerb(verb, command));
}

function familyOf(program: Command, family: string): Command {
  const known = program.commands.find((command) => command.name() === family);
  if (known !== undefined) return known;
  return program
    .command(family)
    .description(FAMILIES[family] ?? '')
    .helpCommand(false);
}

function splitName(name: string): readonly [string | undefined, string] {
  const [first = '', second] = name.split(' ');
  return second === undefined ? [undefined, first] : [first, second];
}

function toOption(spec: OptionSpec): Option {
  const long = spec.value === undefined ? `--${spec.long}` : `--${spec.long} <${spec.value}>`;
  return new Option(spec.short === undefined ? long : `-${spec.short}, ${long}`, spec.summary);
}
