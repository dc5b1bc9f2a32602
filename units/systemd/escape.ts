import { refuseNul, refuseValue } from '../refuse-value.js';

/**
 * How texts are written so that systemd reads exactly them. It has several languages: words of
 * a command line (quotes, C escapes, `%` specifiers, `$` variables), words of an assignment (no
 * variables), and values that are a whole line (specifiers only, no quotes at all).
 */

/** Nothing in such a word means anything to systemd. */
const PLAIN_WORD = /^[\w./:@+,=-]+$/;

/** A word of ExecStart= and the like. */
export function escapeArgument(word: string): string {
  return quoteWord(word.replaceAll('$', '$$$$'), word);
}

/** A word of Environment=: `NAME=value`; variables mean nothing there. */
export function escapeAssignment(name: string, value: string): string {
  const word = `${name}=${value}`;
  return quoteWord(word, word);
}

function quoteWord(text: string, original: string): string {
  refuseNul(original);
  if (PLAIN_WORD.test(text)) return text;
  const escaped = text.replace(/[\\"%\p{Cc}]/gu, escapeCharacter);
  return `"${escaped}"`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '%':
      return '%%';
    case '\n':
      return '\\n';
    case '\t':
      return '\\t';
    case '\\':
    case '"':
      return `\\${character}`;
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
}

/**
 * A path that is the whole value: WorkingDirectory=. There are no quotes and no escapes in it,
 * so some paths cannot be said.
 * @throws GatewardenError unit-value-refused
 */
export function escapePathLine(path: string): string {
  if (/\p{Cc}/u.test(path)) refuseValue(path, 'a unit cannot name a path with control characters');
  if (/[\s\\]$/u.test(path)) {
    refuseValue(path, 'a unit cannot name a path that ends in a blank or a backslash');
  }
  return path.replaceAll('%', '%%');
}

/** The same for EnvironmentFile=, which is also a pattern as a shell knows it. */
export function escapePatternLine(path: string): string {
  return escapePathLine(path).replace(/[\\*?[\]]/g, '\\$&');
}

export function unescapePathLine(value: string): string {
  return value.replaceAll('%%', '%');
}

export function unescapePatternLine(value: string): string {
  return unescapePathLine(value.replace(/\\([\\*?[\]])/g, '$1'));
}

/** Words of a value as systemd reads them. */
export function parseWords(
  value: string,
  { variables }: { readonly variables: boolean },
): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? '';
    if (character === '\\') {
      const { text, length } = readEscape(value.slice(at));
      word = (word ?? '') + text;
      at += length - 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words.map((one) => expand(one, variables));
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  s: ' ',
};

function readEscape(text: string): { readonly text: string; readonly length: number } {
  const code = /^\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{3}))/i.exec(text);
  if (code !== null) {
    const [whole, x, u, U, octal] = code;
    const point =
      octal === undefined ? Number.parseInt(x ?? u ?? U ?? '', 16) : Number.parseInt(octal, 8);
    return { text: String.fromCodePoint(point), length: whole.length };
  }
  const letter = text[1] ?? '';
  return { text: SIMPLE[letter] ?? letter, length: 1 + letter.length };
}

/** We write no specifier and no variable ourselves: what is doubled is meant as it is. */
function expand(word: string, variables: boolean): string {
  const text = word.replaceAll('%%', '%');
  return variables ? text.replaceAll('$$', '$') : text;
}
