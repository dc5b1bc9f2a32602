import { maskSecrets } from '../../core/secret.js';

const SHOWN = '[secret]';

/** Texts that look like secrets although nobody told us that they are; group 1 stays. */
const SUSPICIOUS: readonly RegExp[] = [
  // NAME=value and --name=value, --name value
  /((?:^|[\s;&|("'])(?:--?)?[\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|access[_-]?key|credential)[\w-]*(?:=|\s+))(?!-)(?:"[^"]*"|'[^']*'|[^\s;&|)"']+)/gi,
  // HTTP headers
  /((?:authorization|x-api-key|cookie)\s*:\s*(?:bearer\s+|basic\s+)?)[^\s"']+/gi,
  // user:password@host
  /(:\/\/[^\s/:@]+:)[^\s@/]+(?=@)/g,
  // keys with a well-known beginning
  /(\b)(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}/g,
];

/** A command as it may be written to a file or a log. */
export function redactCommand(command: string, secrets: readonly string[]): string {
  const masked = maskSecrets(command, secrets);
  return SUSPICIOUS.reduce((text, pattern) => text.replace(pattern, `$1${SHOWN}`), masked);
}
