import { type Document, LineCounter, parseDocument } from 'yaml';
import { type BuiltTree, buildTree, deepProblem } from './build-tree.js';
import { problemAt, wholeFileProblem } from './problems.js';
import { YAML_FAULTS } from './yaml-faults.js';

/** The first syntax errors are worth reading; those after them are mostly their echo. */
const MAX_SYNTAX_PROBLEMS = 3;

/**
 * What the YAML parser is never shown: it recurses per level, and near the end of the stack V8
 * aborts the whole process (no exception) when it has to compile a regular expression there.
 */
const MAX_OPEN_BRACKETS = 100;
const MANY_INDICATORS = /(?:[-?:][ \t]+){100}/;
const WIDE_INDENT = /^[ \t]{400}/m;

/** Parses one YAML document whose top level is a mapping; an empty file is an empty mapping. */
export function parseYaml(file: string, text: string): BuiltTree {
  if (nestsTooDeep(text)) return { kind: 'bad', problems: [deepProblem(file)] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    version: '1.2',
    strict: true,
    stringKeys: true,
    // its own check compares every key with every other; the tree's Map does it in one pass
    uniqueKeys: false,
    resolveKnownTags: false,
    // pretty errors quote the file's text, where the secrets are
    prettyErrors: false,
    // with `silent` the parser would drop a second document without a word
    logLevel: 'error',
  });
  const syntax = syntaxProblems(file, document, lines);
  if (syntax.length > 0) return { kind: 'bad', problems: syntax };
  return buildTree(file, document.contents, lines);
}

function nestsTooDeep(text: string): boolean {
  if (MANY_INDICATORS.test(text) || WIDE_INDENT.test(text)) return true;
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > MAX_OPEN_BRACKETS) return true;
  }
  return false;
}

function syntaxProblems(file: string, document: Document.Parsed, lines: LineCounter) {
  const version = document.directives?.yaml;
  const problems = [...document.errors, ...document.warnings].map((error) => {
    const fault = YAML_FAULTS[error.code] ?? YAML_FAULTS.UNEXPECTED_TOKEN;
    return problemAt({ file, line: lines.linePos(error.pos[0]).line }, [], fault);
  });
  if (version?.explicit === true && version.version !== '1.2') {
    problems.push(wholeFileProblem(file, 'YAML 1.2', `a directive for YAML ${version.version}`));
  }
  return problems.slice(0, MAX_SYNTAX_PROBLEMS);
}
