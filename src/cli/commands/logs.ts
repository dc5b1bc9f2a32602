import { existsSync } from 'node:fs';
import { homeLayout, profileLayout } from '../../config/paths.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { currentLogPath, followLog, tailLog } from '../../observability/index.js';
import { onInterrupt } from '../interrupt.js';
import { knownProfiles } from '../known-profiles.js';
import { readableLine } from '../render/foreign-line.js';
import {
  isSince,
  type Prettify,
  parseEntry,
  renderEntry,
  renderEntryJson,
} from '../render/log-lines.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';

const DEFAULT_LINES = 50;
/** with --since alone: all that a log keeps by default, and more */
const MAX_LINES = 1_000_000;

/** Shows or follows the log of a profile, or the supervisor's own. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { home, terminal } = context;
  const path = currentLogPath(logDirOf(invocation.words[0], home));
  const since = numberOption(invocation, 'since');
  const lines =
    numberOption(invocation, 'lines') ?? (since === undefined ? DEFAULT_LINES : MAX_LINES);
  const show = await createShow(invocation, context, since);
  if (!hasFlag(invocation, 'follow')) {
    const newest = await tailLog(path, lines);
    if (newest.length === 0) terminal.notice(`nothing is logged yet in ${path}`);
    for (const line of newest) show(line);
    return CLI_EXIT.done;
  }
  if (!existsSync(path)) terminal.notice(`nothing is logged yet in ${path}; waiting for it`);
  const { release, signal } = onInterrupt();
  try {
    for await (const line of followLog(path, { signal, lastLines: lines })) show(line);
  } finally {
    release();
  }
  return CLI_EXIT.done;
}

/** @throws GatewardenError unknown-profile */
function logDirOf(name: string | undefined, home: string): string {
  if (name === undefined) return homeLayout(home).supervisorLogDir;
  const { logDir } = profileLayout(home, name);
  // a profile that was removed may still have its log
  if (!knownProfiles(home).includes(name) && !existsSync(logDir)) throw unknownProfile(name, home);
  return logDir;
}

async function createShow(
  invocation: Invocation,
  { terminal }: Context,
  since: number | undefined,
): Promise<(line: string) => void> {
  const isJson = hasFlag(invocation, 'json');
  const prettify = isJson ? JSON.stringify : await createPrettify(terminal.paint.enabled);
  let beforeMs: number | undefined;
  return (line) => {
    const entry = parseEntry(line);
    if (since !== undefined && !isSince(entry, since, beforeMs)) return;
    beforeMs = entry.atMs ?? beforeMs;
    const view = { nowMs: Date.now(), paint: terminal.paint, prettify };
    terminal.out(isJson ? renderEntryJson(entry) : renderEntry(entry, view));
  };
}

async function createPrettify(colorize: boolean): Promise<Prettify> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    // a JSON object after each message is not for people
    hideObject: true,
    messageFormat: ({ event: _, hostname: __, ...record }) => readableLine(JSON.stringify(record)),
  });
}
