// Started by bin/gatewarden.js for a person, a script, a unit or a container's run file. Node is
// new enough; nothing else is known. Parses the command line, loads the one verb it names, and
// sets the exit code that spec/cli.md promises; results go to stdout, everything else to stderr.
import { resolveHome } from '../config/paths.js';
import { errnoOf } from '../core/errors.js';
import { CLI_EXIT } from '../core/exit-codes.js';
import { closeInherited } from '../manager/inherited.js';
import { notifyFd } from '../manager/voice.js';
import { reportThrown, runCommandLine } from './command-line.js';

let isService = false;
guardOutput();
process.exitCode = await runCommandLine(process.argv.slice(2), process, (verb) => {
  isService = verb.isService === true;
  if (isService) closeInherited(notifyFd(process.env));
});

/**
 * A reader that went away (`gatewarden history | head`) has what it wanted: end quietly. An
 * answer that could not be written is a failure. A service goes on without its terminal.
 */
function guardOutput(): void {
  process.stdout.on('error', (error) => {
    if (isService) return;
    if (errnoOf(error) === 'EPIPE') process.exit(CLI_EXIT.done);
    process.exit(reportThrown(error, resolveHome(undefined, process.env), process));
  });
  process.stderr.on('error', () => undefined);
}
