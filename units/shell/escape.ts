import { refuseNul } from '../refuse-value.js';

/** Characters that the shell takes as they are, in every place of a word. */
const PLAIN = /^[\w./:@%+,-]+$/;

/** A word as POSIX sh must read it to get exactly this text. */
export function quoteShell(text: string): string {
  refuseNul(text);
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Words of a line that `quoteShell` wrote, back as texts: single quotes, backslashes and plain
 * characters. undefined when the line has anything else in it.
 */
export function parseShellWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = line.trimStart();
  while (rest !== '') {
    const word = /^(?:'[^']*'|\\[\s\S]|[\w./:@%+,-])+/.exec(rest)?.[0];
    if (word === undefined) return undefined;
    words.push(unquote(word));
    rest = rest.slice(word.length);
    if (rest !== '' && !/^\s/.test(rest)) return undefined;
    rest = rest.trimStart();
  }
  return words;
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|\\([\s\S])/g,
    (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
  );
}
