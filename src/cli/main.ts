// Started by bin/gatewarden.js for a person, a script, a unit or a container's run file. Node is
// new enough; nothing else is known. Parses the command line, loads the one verb it names, and
// sets the exit code that spec/cli.md promises; results go to stdout, everything else to stderr.
import { resolveHome } from '../config/paths.js';
import { GatewardenError, messageOf, renderError } from '../core/errors.js';
import { CLI_EXIT, EXIT } from '../core/exit-codes.js';
import { parseCommandLine } from './program.js';
import { createTerminal } from './terminal.js';

process.exitCode = await main(process.argv.slice(2)).catch(report);

async function main(argv: readonly string[]): Promise<number> {
  let isService = false;
  guardOutput(() => isService);
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
  const { run } = await parsed.verb.load();
  const { color, home, quiet, verbose } = parsed.globals;
  const { env, stdin, stdout, stderr } = process;
  return run(parsed.invocation, {
    home: resolveHome(home, env),
    env,
    terminal: createTerminal({ stdin, stdout, stderr, env, colorWanted: color, quiet, verbose }),
  });
}

function report(thrown: unknown): number {
  if (thrown instanceof GatewardenError) {
    process.stderr.write(`${renderError(thrown)}\n`);
    return thrown.exitCode;
  }
  const stack = thrown instanceof Error ? `\n${thrown.stack ?? ''}` : '';
  const bug = new GatewardenError('invariant-broken', { what: messageOf(thrown) });
  process.stderr.write(`${renderError(bug)}${stack}\n`);
  return EXIT.bug;
}

/**
 * A reader that went away (`gatewarden history | head`) has what it wanted: end quietly. A
 * service goes on without its terminal.
 */
function guardOutput(isService: () => boolean): void {
  process.stdout.on('error', () => {
    if (!isService()) process.exit(CLI_EXIT.done);
  });
  process.stderr.on('error', () => undefined);
}
