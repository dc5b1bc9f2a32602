import { writeFiles } from '../../../units/apply.js';
import type { GeneratedFile } from '../../../units/generated-file.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { findDrift, removeHomeDrift } from './current.js';
import { refuseAllForeign } from './guards.js';
import { readTarget } from './target.js';
import { wantedUnits } from './wanted.js';

/**
 * Everything that install would write; with --out the units are written there, and what they name
 * in the home: without its launcher a unit starts nothing.
 */
export async function print(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  const wanted = wantedUnits(target, env, '/bin/sh');
  const { entries, homeFiles } = wanted;
  const units = entries.flatMap(({ files }) => files);
  const isJson = hasFlag(invocation, 'json');
  if (target.isElsewhere) {
    refuseAllForeign(target, wanted);
    const inHome = removeHomeDrift(target, findDrift(target, wanted));
    writeFiles(units);
    const paths = [...inHome, ...units.map(({ path }) => path)];
    if (!isJson) for (const path of paths) terminal.out(`wrote ${path}`);
  }
  if (isJson) {
    const files = [...units, ...homeFiles].map(({ path, mode, text }) => ({
      path,
      mode: renderMode(mode),
      text,
    }));
    terminal.out(JSON.stringify({ manager: target.manager, scope: target.scope, files }));
  } else if (!target.isElsewhere) {
    terminal.write(renderFiles([...units, ...homeFiles]));
  }
  return CLI_EXIT.done;
}

function renderFiles(files: readonly GeneratedFile[]): string {
  return files
    .map(({ path, mode, text }) => `# ==> ${path} (${renderMode(mode)})\n${text}`)
    .join('\n');
}

export function renderMode(mode: number): string {
  return `0${mode.toString(8)}`;
}
