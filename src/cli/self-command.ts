import { type Environment, resolveHome } from '../config/paths.js';
import { quoteShell } from './completion/escape.js';

/**
 * How a person would call us again for the same home: through npx where npm started us, with
 * --home where the environment alone would lead elsewhere.
 */
export function selfCommand(home: string, env: Environment): string {
  const program = env.npm_lifecycle_event === undefined ? 'gatewarden' : 'npx gatewarden';
  const isUsual = resolveHome(undefined, env) === home;
  return isUsual ? program : `${program} --home ${quoteIfNeeded(home)}`;
}

function quoteIfNeeded(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : quoteShell(text);
}
