import type { Environment } from '../config/paths.js';
import type { Terminal } from './terminal.js';

/** How a raw value of the command line is read; decides the error that a bad one gets. */
export type ValueKind = 'text' | 'count' | 'seconds' | 'port' | 'since' | 'cursor';

export interface OptionSpec {
  readonly long: string;
  readonly short?: string;
  /** name of the value in help; absent: a flag */
  readonly value?: string;
  readonly kind?: ValueKind;
  /** closed list of values, for the check and for completion */
  readonly choices?: readonly string[];
  readonly summary: string;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly required: boolean;
  readonly variadic: boolean;
  /** what a shell completes here */
  readonly complete: 'profile' | 'nothing' | readonly string[];
  readonly summary: string;
}

/** One verb of the command line, as data: parsing, help, completion and docs/cli.md come from it. */
export interface VerbSpec {
  /** `status`, or `profile add` for a verb of a family */
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** whether -p/--profile means something here */
  readonly takesProfile: boolean;
  readonly examples: readonly string[];
  /** runs until it is told to stop: a reader of its output that goes away must not end it */
  readonly isService?: boolean;
  readonly load: () => Promise<VerbModule>;
}

export interface VerbModule {
  readonly run: (invocation: Invocation, context: Context) => Promise<number>;
}

export type OptionValue = string | number | boolean;

/** A command line after parsing, with every value read according to its kind. */
export interface Invocation {
  readonly verb: string;
  /** positional arguments in order; -p stands in for the first NAME */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, OptionValue>>;
  /** the value of -p/--profile */
  readonly profile: string | undefined;
}

/** What a verb has to work with. */
export interface Context {
  readonly home: string;
  readonly env: Environment;
  readonly terminal: Terminal;
}

export function hasFlag(invocation: Invocation, name: string): boolean {
  return invocation.options[name] === true;
}

export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.options[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberOption(invocation: Invocation, name: string): number | undefined {
  const value = invocation.options[name];
  return typeof value === 'number' ? value : undefined;
}
