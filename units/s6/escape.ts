import { refuseValue } from '../refuse-value.js';
import { quoteShell } from '../shell/escape.js';

/**
 * A directory for s6-log, as a word of a shell line. s6-log tells directories from directives by
 * their first character.
 * @throws GatewardenError unit-value-refused
 */
export function escapeLogDirectory(path: string): string {
  if (!path.startsWith('/')) refuseValue(path, 's6-log takes a word without / for a directive');
  return quoteShell(path);
}

/** A text in a comment: a newline would end it and run the rest. */
export function escapeComment(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
