import type { Readable } from 'node:stream';
import { type Environment, resolveHome } from '../config/paths.js';
import { GatewardenError, messageOf, renderError } from '../core/errors.js';
import { CLI_EXIT, EXIT } from '../core/exit-codes.js';
import { aimHints } from './aim-hints.js';
import { explainThrown } from './explain-thrown.js';
import { type Globals, parseCommandLine } from './program.js';
import { selfCommand } from './self-command.js';
import { createTerminal, type TerminalStream } from './terminal.js';
import type { Context, VerbSpec } from './verb.js';

/** The process, as far as a command line sees it. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
}

/** Runs one command line to its end. Whatever is thrown becomes a text on stderr and a code. */
export async function runCommandLine(
  argv: readonly string[],
  around: Surroundings,
  onVerb: (verb: VerbSpec) => void = () => {},
): Promise<number> {
  const { env, stdout, stderr } = around;
  let home = resolveHome(undefined, env);
  try {
    const parsed = parseCommandLine(argv, stdout.columns ?? 80);
    if (parsed.kind === 'text') {
      stdout.write(parsed.text);
      return CLI_EXIT.done;
    }
    if (parsed.kind === 'nothing') {
      stderr.write(parsed.text);
      return CLI_EXIT.usage;
    }
    onVerb(parsed.verb);
    home = resolveHome(parsed.globals.home, env);
    const { run } = await parsed.verb.load();
    return await run(parsed.invocation, contextOf(home, parsed.globals, around));
  } catch (thrown) {
    return reportThrown(thrown, home, around);
  }
}

function contextOf(home: string, globals: Globals, around: Surroundings): Context {
  const { color, quiet, verbose } = globals;
  const command = selfCommand(home, around.env);
  const aim = (text: string) => aimHints(text, command);
  const { env } = around;
  return {
    home,
    env,
    terminal: createTerminal({ ...around, colorWanted: color, quiet, verbose, aim }),
  };
}

/** @returns the exit code */
export function reportThrown(
  thrown: unknown,
  home: string,
  { env, stderr }: Pick<Surroundings, 'env' | 'stderr'>,
): number {
  const explained = explainThrown(thrown, home);
  if (explained !== undefined) {
    stderr.write(`${aimHints(renderError(explained), selfCommand(home, env))}\n`);
    return explained.exitCode;
  }
  const stack = thrown instanceof Error ? `\n${thrown.stack ?? ''}` : '';
  const bug = new GatewardenError('invariant-broken', { what: messageOf(thrown) });
  stderr.write(`${renderError(bug)}${stack}\n`);
  return EXIT.bug;
}
