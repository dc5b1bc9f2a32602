/** One word for sh-like shells, whatever is in it. */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** fish knows only two escapes inside single quotes. */
export function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A `word:description` pair of zsh's _describe: a colon in the word would end it. */
export function quoteZshPair(word: string, summary: string): string {
  return quoteShell(`${word.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}:${summary}`);
}
