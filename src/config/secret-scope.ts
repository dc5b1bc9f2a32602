import type { Scope } from './interpolate.js';
import type { ConfigProblem } from './model.js';
import { canBeReadBy, OTHERS } from './open-file.js';
import { parseDotenv } from './parse-dotenv.js';
import { problemAt, wholeFileProblem } from './problems.js';
import { readSource } from './read-source.js';

export interface LoadedScope {
  readonly scope: Scope;
  readonly problems: readonly ConfigProblem[];
}

export interface ScopeFiles {
  readonly owner: string;
  /** may be absent; others must not be able to read it */
  readonly envFile: string;
  /** named by the operator: must be there; their modes belong to whatever puts them there */
  readonly extraFiles: readonly string[];
}

/** Reads the files in which `${NAME}` is looked up; the first file that has a name wins. */
export function loadScope({ owner, envFile, extraFiles }: ScopeFiles): LoadedScope {
  const values = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  let missing: string | undefined;
  for (const file of [envFile, ...extraFiles]) {
    const source = readSource(file);
    if (source.kind === 'fault') problems.push(source.problem);
    if (source.kind === 'absent') {
      if (file === envFile) missing = file;
      else problems.push(wholeFileProblem(file, 'the file that env_files names', 'none'));
    }
    if (source.kind !== 'text') continue;
    const isOpen = canBeReadBy(OTHERS, { path: file, mode: source.mode });
    if (file === envFile && isOpen) problems.push(openToAll(file));
    const parsed = parseDotenv(source.text);
    for (const { line, name, expected, got } of parsed.faults) {
      problems.push(problemAt({ file, line }, name === '' ? [] : [name], { expected, got }));
    }
    for (const [name, value] of parsed.values) if (!values.has(name)) values.set(name, value);
  }
  return { scope: { owner, values, lookedIn: [envFile, ...extraFiles], missing }, problems };
}

function openToAll(file: string): ConfigProblem {
  const hint = `close it with: chmod 600 ${file}`;
  return wholeFileProblem(
    file,
    'secrets that others cannot read',
    'a file that everyone can',
    hint,
  );
}
