import { CLI_EXIT } from '../../core/exit-codes.js';
import { renderBash } from '../completion/bash.js';
import { renderFish } from '../completion/fish.js';
import { renderZsh } from '../completion/zsh.js';
import type { Context, Invocation } from '../verb.js';
import { GLOBAL_OPTIONS } from '../verbs/words.js';
import { VERBS } from '../verbs.js';

const RENDERERS: Readonly<Record<string, typeof renderBash>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

/** Prints the completion script of a shell, made from the verb table. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const render = RENDERERS[invocation.words[0] ?? ''];
  if (render !== undefined) context.terminal.write(render(VERBS, GLOBAL_OPTIONS));
  return CLI_EXIT.done;
}
