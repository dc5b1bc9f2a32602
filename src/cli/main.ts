// Started by bin/gatewarden.js for a person, a script, a unit or a container's run file. Node is
// new enough; nothing else is known. Parses the command line, loads the one verb it names, and
// sets the exit code that spec/cli.md promises; results go to stdout, everything else to stderr.
import { resolveHome } from '../config/paths.js';
import { errnoOf, GatewardenError, messageOf, renderError } from '../core/errors.js';
import { CLI_EXIT, EXIT } from '../core/exit-codes.js';
import { aimHints } from './aim-hints.js';
import { explainThrown } from './explain-thrown.js';
import { type Globals, parseCommandLine } from './program.js';
import { selfCommand } from './self-command.js';
import { createTerminal } from './terminal.js';
import type { Context } from './verb.js';

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  let home = resolveHome(undefined, process.env);
  let isService = false;
  guardOutput(() => isService);
  try {
    const parsed = parseCommandLine(argv, process.stdout.columns ?? 80);
    if (parsed.kind === 'text') {
      process.stdout.write(parsed.text);
      return CLI_EXIT.done;
    }
    if (parsed.kind === 'nothing') {
      process.stderr.write(parsed.text);
      return CLI_EXIT.usage;
    }
    isService = parsed.verb.isService === true;
    home = resolveHome(parsed.globals.home, process.env);
    const { run } = await parsed.verb.load();
    return await run(parsed.invocation, contextOf(home, parsed.globals));
  } catch (thrown) {
    return report(thrown, home);
  }
}

function contextOf(home: string, { color, quiet, verbose }: Globals): Context {
  const { env, stdin, stdout, stderr } = process;
  const command = selfCommand(home, env);
  const aim = (text: string) => aimHints(text, command);
  const options = { stdin, stdout, stderr, env, colorWanted: color, quiet, verbose, aim };
  return { home, env, terminal: createTerminal(options) };
}

function report(thrown: unknown, home: string): number {
  const explained = explainThrown(thrown, home);
  if (explained !== undefined) {
    const text = aimHints(renderError(explained), selfCommand(home, process.env));
    process.stderr.write(`${text}\n`);
    return explained.exitCode;
  }
  const stack = thrown instanceof Error ? `\n${thrown.stack ?? ''}` : '';
  const bug = new GatewardenError('invariant-broken', { what: messageOf(thrown) });
  process.stderr.write(`${renderError(bug)}${stack}\n`);
  return EXIT.bug;
}

/**
 * A reader that went away (`gatewarden history | head`) has what it wanted: end quietly. An
 * answer that could not be written is a failure. A service goes on without its terminal.
 */
function guardOutput(isService: () => boolean): void {
  process.stdout.on('error', (error) => {
    if (isService()) return;
    if (errnoOf(error) === 'EPIPE') process.exit(CLI_EXIT.done);
    process.exit(report(error, resolveHome(undefined, process.env)));
  });
  process.stderr.on('error', () => undefined);
}
