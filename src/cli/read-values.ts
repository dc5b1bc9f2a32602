import { nearest } from '../config/nearest.js';
import { GatewardenError } from '../core/errors.js';
import { isProfileName } from '../core/names.js';
import { parseSince } from './since.js';
import type { OptionSpec, OptionValue, VerbSpec } from './verb.js';

const MAX_PORT = 65_535;

/** Reads every option by its kind. @throws GatewardenError bad-argument */
export function readOptions(
  verb: VerbSpec,
  raw: Readonly<Record<string, unknown>>,
): Record<string, OptionValue> {
  const values: Record<string, OptionValue> = {};
  for (const spec of verb.options) {
    // commander stores --no-wait as wait: false
    const negated = spec.long.startsWith('no-');
    const value = raw[storedName(negated ? spec.long.slice('no-'.length) : spec.long)];
    if (negated) values[spec.long] = value === false;
    else if (typeof value === 'boolean') values[spec.long] = value;
    else if (typeof value === 'string') values[spec.long] = readValue(spec, value);
  }
  return values;
}

/** commander stores --all-profiles as allProfiles */
function storedName(long: string): string {
  return long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function readValue(spec: OptionSpec, text: string): OptionValue {
  checkChoice(`--${spec.long}`, text, spec.choices);
  switch (spec.kind ?? 'text') {
    case 'text':
      return text;
    case 'count':
      return readNumber(spec, text, { min: 1, max: 1_000_000, whole: true });
    case 'cursor':
      return readNumber(spec, text, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true });
    case 'port':
      return readNumber(spec, text, { min: 1, max: MAX_PORT, whole: true });
    case 'seconds':
      return readNumber(spec, text, { min: 0, max: 1_000_000, whole: false });
    case 'since':
      return parseSince(text, Date.now());
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

function readNumber(spec: OptionSpec, text: string, range: Range): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const fits = value >= range.min && value <= range.max;
  if (fits && (!range.whole || Number.isInteger(value))) return value;
  throw new GatewardenError('bad-argument', {
    expected: `expected --${spec.long} as a ${range.whole ? 'whole ' : ''}number from ${range.min} to ${range.max}`,
    got: quote(text),
    hint: `for example: --${spec.long} ${Math.max(range.min, 10)}`,
  });
}

/**
 * Positional arguments with -p put in their place, each checked.
 * @throws GatewardenError bad-argument, bad-profile-name
 */
export function readWords(
  verb: VerbSpec,
  typed: readonly string[],
  profile: string | undefined,
): readonly string[] {
  if (profile !== undefined && !verb.takesProfile) {
    throw new GatewardenError('bad-argument', {
      expected: `expected no profile: gatewarden ${verb.name} does not work on one`,
      got: `--profile ${quote(profile)}`,
      hint: 'leave --profile away',
    });
  }
  const words = profile === undefined ? typed : withProfile(verb, typed, profile);
  for (const [index, spec] of verb.arguments.entries()) {
    const given = spec.variadic ? words.slice(index) : words.slice(index, index + 1);
    if (spec.required && given.length === 0) {
      throw new GatewardenError('bad-argument', {
        expected: `expected ${spec.name} (${spec.summary})`,
        got: 'nothing',
        hint: `see: gatewarden ${verb.name} --help`,
      });
    }
    for (const word of given) checkWord(spec.name, word, spec.complete);
  }
  if (profile !== undefined) checkProfileName(profile);
  return words;
}

/** -p and NAME may both be given as long as they say the same (field case B27). */
function withProfile(verb: VerbSpec, typed: readonly string[], profile: string): readonly string[] {
  const first = verb.arguments[0];
  // a verb may work on a profile and take something else by position
  if (first?.name !== 'NAME') return typed;
  if (typed.length === 0) return [profile];
  if (typed.includes(profile)) return typed;
  if (first.variadic) return [profile, ...typed];
  throw new GatewardenError('bad-argument', {
    expected: 'expected one profile',
    got: `${quote(typed[0] ?? '')} and --profile ${quote(profile)}`,
    hint: 'name it once',
  });
}

function checkWord(
  name: string,
  word: string,
  complete: VerbSpec['arguments'][number]['complete'],
) {
  if (name === 'NAME') checkProfileName(word);
  else if (typeof complete !== 'string') checkChoice(name, word, complete);
}

function checkProfileName(name: string): void {
  if (!isProfileName(name)) throw new GatewardenError('bad-profile-name', { got: quote(name) });
}

function checkChoice(what: string, got: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(got)) return;
  const near = nearest(got, choices);
  throw new GatewardenError('bad-argument', {
    expected: `expected ${what} as one of ${choices.join(', ')}`,
    got: quote(got),
    hint: near === undefined ? `choose one of ${choices.join(', ')}` : `did you mean ${near}?`,
  });
}

/** Typed text as it may be shown: on one line, with what is invisible made visible. */
function quote(text: string): string {
  return JSON.stringify(text);
}
