import type { GeneratedFile } from '../generated-file.js';
import { NO_LIMITS, type ReadService } from '../service.js';
import { parseShellWords } from '../shell/escape.js';

/** What a service directory says, as far as it is written the way we write. */
export function parseS6Slot(files: readonly GeneratedFile[]): ReadService {
  const text = (path: string) => files.find((file) => file.path === path)?.text;
  const run = text('run') ?? '';
  const command = parseShellWords(commandOf(run));
  const become = command?.[0] === 's6-setuidgid' ? command : undefined;
  return {
    argv: become === undefined ? command : become.slice(2),
    env: environmentOf(run),
    workingDirectory: wordsAfter(run, 'cd ', / \|\| exit \d+$/)?.[0],
    envFile: undefined,
    accountName: accountOf(run),
    startMs: undefined,
    stopMs: milliseconds(text('timeout-kill')),
    watchdogMs: undefined,
    limits: NO_LIMITS,
  };
}

/** Statements of a script; a quoted text may go over several lines. */
function statements(script: string): readonly string[] {
  return script.match(/(?:'[^']*'|\\[\s\S]|[^\n'\\])+/g) ?? [];
}

function wordsAfter(script: string, start: string, end?: RegExp): readonly string[] | undefined {
  const found = statements(withoutComments(script)).find((line) => line.startsWith(start));
  if (found === undefined) return undefined;
  const words = found.slice(start.length);
  return parseShellWords(end === undefined ? words : words.replace(end, ''));
}

function commandOf(run: string): string {
  const last = statements(withoutComments(run)).findLast((line) => line.startsWith('exec '));
  return last?.slice('exec '.length) ?? '';
}

function accountOf(run: string): string | undefined {
  const line = statements(withoutComments(run)).find((one) =>
    one.trimStart().startsWith('exec s6-setuidgid '),
  );
  return line === undefined ? undefined : parseShellWords(line)?.[2];
}

function environmentOf(run: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const line of statements(withoutComments(run))) {
    const [, name, value] = /^export (\w+)=([\s\S]*)$/.exec(line) ?? [];
    const words = parseShellWords(value ?? '');
    if (name !== undefined) env[name] = words?.[0] ?? '';
  }
  return env;
}

/** Our comments stand at the top, before anything quoted, and are whole lines. */
function withoutComments(script: string): string {
  return script.replace(/^(?:#.*\n)+/, '');
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+\s*$/.test(text) ? undefined : Number(text);
}
