import { maskSecrets } from '../../core/secret.js';

/** Most of an output that one tool result shows: a model reads it all, and pays for it. */
const SHOWN_CHARS = 30_000;
/** the beginning says what was done, the end how it went */
const HEAD_CHARS = 8000;

/** Output as the agent may see it: without the profile's secrets, and not too long. */
export function showOutput(output: string, secrets: readonly string[]): string {
  const text = maskSecrets(output, secrets);
  if (text.length <= SHOWN_CHARS) return text;
  const left = text.length - SHOWN_CHARS;
  const head = text.slice(0, HEAD_CHARS);
  const tail = text.slice(HEAD_CHARS - SHOWN_CHARS);
  return `${head}\n… ${left} characters left out …\n${tail}`;
}
