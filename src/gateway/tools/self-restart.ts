/**
 * Commands by which an agent would end the gateway that runs it: it would cut its own turn off,
 * be taken up again afterwards, and do the same again (spec/supervision.md 6.6). A person asks
 * with /restart. What hides in a script is not seen here; the command line refuses it too, and
 * what gets through both meets the guard against restart loops.
 */
export interface SelfFacts {
  readonly profile: string;
  /** the gateway itself and who supervises it */
  readonly pids: readonly number[];
}

type Judge = (words: readonly string[], facts: SelfFacts) => boolean;

const VERBS: ReadonlySet<string> = new Set(['stop', 'restart']);
const UNIT_VERBS: ReadonlySet<string> = new Set([
  'stop',
  'restart',
  'try-restart',
  'reload-or-restart',
  'kill',
  'disable',
  'mask',
]);

/** By the name of the program; the words are what follows it. */
const JUDGES: Readonly<Record<string, Judge>> = {
  gatewarden: isOwnVerb,
  'gatewarden.js': isOwnVerb,
  systemctl: (words) => words.some((word) => UNIT_VERBS.has(word)) && namesUs(words),
  service: (words) => words.some((word) => VERBS.has(word)) && namesUs(words),
  launchctl: (words) =>
    /^(kickstart|bootout|stop|unload|remove|submit)$/.test(words[0] ?? '') && namesUs(words),
  's6-svc': (words) => namesSlot(words),
  's6-rc': (words) => namesSlot(words),
  pkill: namesUs,
  killall: namesUs,
  kill: (words, { pids }) =>
    words.some((word) => /^\$\{?PPID\}?$/.test(word) || pids.includes(Math.abs(Number(word)))),
  curl: (words) => words.some((word) => /\/v1\/profiles\/[^/]+\/(stop|restart)\b/.test(word)),
};

/** Words that run the program named after them. */
const PREFIXES: ReadonlySet<string> = new Set([
  'sudo',
  'exec',
  'command',
  'nohup',
  'setsid',
  'env',
  'time',
  'node',
  'npx',
  'then',
  'do',
  'else',
  '!',
]);

/** The part of a command that would end its own gateway; undefined: none is seen. Pure. */
export function findSelfRestart(command: string, facts: SelfFacts): string | undefined {
  if (isRestartByChat(command)) return command.trim();
  return splitCommands(command).find((part) => {
    const [program = '', ...words] = programOf(part);
    const judge = JUDGES[baseName(program)];
    return judge?.(words, facts) === true;
  });
}

/** Quotes do not hide a command: `sh -c "gatewarden restart"` is one. */
function splitCommands(command: string): string[] {
  return command
    .split(/[;&|\n()`"'{}]+|\$\(/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function programOf(part: string): string[] {
  const words = part.split(/\s+/);
  const at = words.findIndex((word) => !isPrefix(word));
  return at === -1 ? [] : words.slice(at);
}

function isPrefix(word: string): boolean {
  return PREFIXES.has(baseName(word)) || word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Of another profile it is an ordinary command. */
function isOwnVerb(words: readonly string[], { profile }: SelfFacts): boolean {
  const at = words.findIndex((word) => VERBS.has(word));
  if (at === -1) return words.includes('--replace') || words[0] === 'reap';
  const names = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  return names.length === 0 || names.includes(profile) || words.includes('--all');
}

function namesUs(words: readonly string[]): boolean {
  return words.some((word) => word.includes('gatewarden'));
}

function namesSlot(words: readonly string[]): boolean {
  return words.some((word) => /(^|\/)gateway(-|$)|gatewarden/.test(word));
}

function isRestartByChat(command: string): boolean {
  return /\/restart\b/.test(command) && /\bgatewarden(\.js)?\b[^;\n]*\bchat\b/.test(command);
}
