import * as z from 'zod/mini';
import { MAX_TIMER_MS } from '../../core/durations.js';
import { SIZE_PATTERN } from '../sizes.js';

/**
 * The kinds of values that a file may hold. Each carries its expectation as its error text, so
 * that a problem says what was wanted wherever the value stands.
 */

/** What `config explain`, the JSON Schema and the page say about a key. */
export interface About {
  readonly about: string;
  readonly example?: unknown;
  readonly byDefault?: unknown;
}

/** Longer timers fire at once in Node: refused, not clamped. */
export const MAX_SECONDS = Math.floor(MAX_TIMER_MS / 1000);

const MAX_COUNT = 1_000_000;
const MAX_TEXT_LENGTH = 100_000;
const MAX_LIST_LENGTH = 256;

const BEARER_PATTERN = /^[\x21-\x7e]{1,4096}$/;
const HOST_PATTERN = /^(?!-)[A-Za-z0-9._-]{1,253}$|^[0-9a-fA-F:.]{2,45}$/;

export function meta({ about, example, byDefault }: About) {
  return z.meta({
    description: about,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

export function flag(about: About) {
  return z.exactOptional(z.boolean('true or false').check(meta(about)));
}

export function seconds(about: About, min = 0) {
  const expected = `a number of seconds from ${min} to ${MAX_SECONDS}`;
  return z.exactOptional(
    z.number(expected).check(z.gte(min, expected), z.lte(MAX_SECONDS, expected), meta(about)),
  );
}

export interface Range {
  readonly min: number;
  readonly max?: number;
}

export function count(about: About, { min, max = MAX_COUNT }: Range) {
  const expected = `a whole number from ${min} to ${max}`;
  return z.exactOptional(
    z.int(expected).check(z.gte(min, expected), z.lte(max, expected), meta(about)),
  );
}

export function decimal(about: About, { min, max }: Required<Range>) {
  const expected = `a number from ${min} to ${max}`;
  return z.exactOptional(
    z.number(expected).check(z.gte(min, expected), z.lte(max, expected), meta(about)),
  );
}

export function requiredText(about: About, expected = 'text') {
  return z.string(expected).check(
    z.minLength(1, `${expected} (not empty)`),
    z.maxLength(MAX_TEXT_LENGTH, `${expected} of at most ${MAX_TEXT_LENGTH} characters`),
    z.refine((value) => !value.includes('\0'), `${expected} without NUL characters`),
    meta(about),
  );
}

export function text(about: About, expected = 'text') {
  return z.exactOptional(requiredText(about, expected));
}

/** A text that fits into an HTTP header as a bearer token. */
export function bearer(about: About) {
  const expected = 'visible ASCII characters without blanks';
  return z.exactOptional(z.string(expected).check(z.regex(BEARER_PATTERN, expected), meta(about)));
}

export function oneOf<const Word extends string>(words: readonly Word[], about: About) {
  return z.exactOptional(z.enum(words, `one of ${words.join(', ')}`).check(meta(about)));
}

/** Some of the words, none of them twice. */
export function choices<const Word extends string>(words: readonly Word[], about: About) {
  const expected = `a list of some of ${words.join(', ')}, each at most once`;
  return z.exactOptional(
    z.array(z.enum(words, `one of ${words.join(', ')}`), expected).check(
      z.refine((chosen) => new Set(chosen).size === chosen.length, expected),
      meta(about),
    ),
  );
}

/** `512MiB`: with a unit, because a bare number means something else to each reader. */
export function size(about: About) {
  const expected = 'a size such as 512MiB (KiB, MiB, GiB, TiB)';
  return z.exactOptional(
    z.string(expected).check(
      z.regex(SIZE_PATTERN, expected),
      z.refine((value) => Number.parseFloat(value) > 0, expected),
      meta(about),
    ),
  );
}

export function port(about: About) {
  return count(about, { min: 0, max: 65_535 });
}

export function host(about: About) {
  const expected = 'a host name or an IP address (without a port)';
  return z.exactOptional(z.string(expected).check(z.regex(HOST_PATTERN, expected), meta(about)));
}

export function httpUrl(about: About) {
  const expected = 'an http:// or https:// URL without a user name or password';
  return z.exactOptional(z.string(expected).check(z.refine(isHttpUrl, expected), meta(about)));
}

export function argv(about: About) {
  const expected = 'a list of texts, first the program (no shell is involved)';
  const word = z
    .string('text (put numbers in quotes)')
    .check(z.refine((value) => !value.includes('\0'), 'text without NUL characters'));
  return z.exactOptional(
    z.array(word, expected).check(
      z.minLength(1, expected),
      z.maxLength(MAX_LIST_LENGTH, `${expected}, at most ${MAX_LIST_LENGTH}`),
      z.refine((words) => words[0] !== '', 'a program as the first text'),
      meta(about),
    ),
  );
}

export function texts(about: About, expected: string) {
  return z.exactOptional(
    z
      .array(requiredText({ about: 'one of them' }), expected)
      .check(z.maxLength(MAX_LIST_LENGTH, expected), meta(about)),
  );
}

/** A closed mapping: what else stands in it is a problem. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, about: About) {
  return z.strictObject(shape, 'a mapping of keys to values').check(meta(about));
}

function isHttpUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return (
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username === '' &&
    url.password === ''
  );
}
