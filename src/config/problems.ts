import type { ConfigProblem } from './model.js';
import { type Path, type Place, type Tree, valueAt } from './tree.js';

const MAX_SHOWN_LENGTH = 60;
export const SECRET_SHOWN = '[secret]';

/** The last part of a key whose value is a secret by its meaning, wherever it came from. */
const SECRET_KEY = /(?:^|_)(?:key|token|secret|password)$/i;

export function wholeFileProblem(
  file: string,
  expected: string,
  got: string,
  hint?: string,
): ConfigProblem {
  return { file, line: undefined, key: '', expected, got, hint };
}

export interface ProblemText {
  readonly expected: string;
  readonly got: string;
  readonly hint?: string | undefined;
}

export function problemAt(place: Place, path: Path, text: ProblemText): ConfigProblem {
  return {
    file: place.file,
    line: place.line,
    key: dotted(place.under === undefined ? path : [place.under, ...path]),
    expected: text.expected,
    got: text.got,
    hint: text.hint,
  };
}

/** `command[0]`, `platforms.api_server.port` */
export function dotted(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${printable(String(step))}`))
    .join('')
    .replace(/^\./, '');
}

/** What came, for people: short, on one line, without escape sequences and without secrets. */
export function describeGot(value: Tree | undefined, path: Path): string {
  if (value === undefined) return 'nothing';
  if (value.kind === 'mapping') return value.entries.size === 0 ? 'an empty mapping' : 'a mapping';
  if (value.kind === 'sequence') return value.items.length === 0 ? 'an empty list' : 'a list';
  if (value.value === null) return 'nothing (null)';
  if (value.secret || isSecretPath(path)) return SECRET_SHOWN;
  return typeof value.value === 'string' ? quote(withoutCredentials(value.value)) : value.source;
}

/** A text that was made of the value at a path, such as the whole of a path that it is a part of. */
export function showMadeOf(tree: Tree, path: Path, text: string): string {
  const value = valueAt(tree, path);
  const isSecret = (value?.kind === 'scalar' && value.secret) || isSecretPath(path);
  return isSecret ? SECRET_SHOWN : quote(withoutCredentials(text));
}

/** File by file, and from the top of each to its end. */
export function inReadingOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))];
  return files.flatMap((file) =>
    problems
      .filter((problem) => problem.file === file)
      .sort((left, right) => (left.line ?? 0) - (right.line ?? 0)),
  );
}

/** One readable block per problem. */
export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(renderProblem).join('\n');
}

export function countProblems(problems: readonly ConfigProblem[]): string {
  return problems.length === 1 ? '1 problem' : `${problems.length} problems`;
}

/** A text of unknown origin in quotes, cut to a readable length, control characters escaped. */
export function quote(text: string): string {
  const characters = [...text.slice(0, 4 * MAX_SHOWN_LENGTH)];
  const isCut = characters.length > MAX_SHOWN_LENGTH || text.length > 4 * MAX_SHOWN_LENGTH;
  const shown = isCut ? `${characters.slice(0, MAX_SHOWN_LENGTH).join('')}…` : text;
  return JSON.stringify(shown).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeCharacter);
}

function renderProblem(problem: ConfigProblem): string {
  const line = problem.line === undefined ? '' : `:${problem.line}`;
  const key = problem.key === '' ? '' : ` ${problem.key}:`;
  const hint = problem.hint === undefined ? '' : `\n    ${problem.hint}`;
  return `  ${problem.file}${line}:${key}\n    expected ${problem.expected}, got ${problem.got}${hint}`;
}

function isSecretPath(path: Path): boolean {
  return path[0] === 'env' || path.some((step) => SECRET_KEY.test(String(step)));
}

/** A URL may carry a password or a key: neither belongs in a message. */
function withoutCredentials(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, `//${SECRET_SHOWN}@`)
    .replace(/([?&][^=&]*(?:key|token|secret|password)=)[^&\s]*/gi, `$1${SECRET_SHOWN}`);
}

function printable(key: string): string {
  return /^[\w-]{1,80}$/.test(key) ? key : quote(key);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
