import { writeFiles } from '../../../units/apply.js';
import type { GeneratedFile } from '../../../units/generated-file.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { readTarget } from '../units/target.js';
import { wantedUnits } from '../units/wanted.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

export async function run(invocation: Invocation, context: Context): Promise<number> {
  return print(invocation, context);
}

/** Everything that install would write, without writing it. */
async function print(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  const { entries, homeFiles } = wantedUnits(target, env, '/bin/sh');
  const units = entries.flatMap(({ files }) => files);
  if (hasFlag(invocation, 'json')) {
    const files = [...units, ...homeFiles].map(({ path, mode, text }) => ({
      path,
      mode: renderMode(mode),
      text,
    }));
    terminal.out(JSON.stringify({ manager: target.manager, scope: target.scope, files }));
    return CLI_EXIT.done;
  }
  if (target.isElsewhere) {
    writeFiles(units);
    for (const { path } of units) terminal.out(`wrote ${path}`);
    return CLI_EXIT.done;
  }
  terminal.write(renderFiles([...units, ...homeFiles]));
  return CLI_EXIT.done;
}

/** A heading over each that is a comment in every format but the plist's. */
function renderFiles(files: readonly GeneratedFile[]): string {
  return files
    .map(({ path, mode, text }) => `# ==> ${path} (${renderMode(mode)})\n${text}`)
    .join('\n');
}

function renderMode(mode: number): string {
  return `0${mode.toString(8)}`;
}
