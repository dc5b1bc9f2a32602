import { type StarterOptions, writeStarterHome } from '../../config/index.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { selfCommand } from '../self-command.js';
import { type Context, type Invocation, numberOption, textOption } from '../verb.js';

/** Writes what is missing of a starter home; never overwrites. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const written = writeStarterHome(home, {
    profile: invocation.profile,
    ...starterOptions(invocation),
  });
  if (written.length === 0) {
    terminal.out(`everything is there already in ${home}; nothing was written`);
    return CLI_EXIT.done;
  }
  tellWritten(written, context);
  terminal.out(`next: ${selfCommand(home, env)} up`);
  return CLI_EXIT.done;
}

export function tellWritten(written: readonly string[], { terminal }: Context): void {
  for (const path of written) terminal.out(`wrote ${path}`);
}

/** --driver and --port; the choices of the verb table are the drivers there are. */
export function starterOptions(invocation: Invocation): StarterOptions {
  return {
    driver: textOption(invocation, 'driver') as StarterOptions['driver'],
    port: numberOption(invocation, 'port'),
  };
}
