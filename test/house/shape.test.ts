import { basename } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { filesBelow, productFiles, readSource } from '../support/sources.js';

const MAX_LINES = 300;
const LOOK_AGAIN_LINES = 200;
const LOOK_AGAIN_FUNCTION_LINES = 40;
/** three is the habit; the fourth is for what another package's signature asks for */
const MAX_PARAMETERS = 4;
/** a file that is longer says so, with its reason, before its first import */
const REASON = /longer than (usual|300 lines) because/i;
const HEAD_LINES = 12;

const files = [...productFiles(), ...filesBelow('scripts', '.mjs'), ...filesBelow('bench', '.ts')];

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}

t.test(`no file is longer than ${MAX_LINES} lines without saying why at its top`, async (t) => {
  const tooLong = files.filter((file) => {
    const text = readSource(file);
    const head = text.split('\n').slice(0, HEAD_LINES).join('\n');
    return lineCount(text) > MAX_LINES && !REASON.test(head);
  });
  t.strictSame(tooLong, []);
});

t.test('long files and long functions are told to whoever reads the run', async (t) => {
  for (const file of files) {
    const lines = lineCount(readSource(file));
    if (lines > LOOK_AGAIN_LINES) t.comment(`${file} has ${lines} lines`);
    for (const one of functionsOf(file)) {
      if (one.lines > LOOK_AGAIN_FUNCTION_LINES) {
        t.comment(`${file}: ${one.name} has ${one.lines} lines`);
      }
    }
  }
  t.pass('reported');
});

t.test(`no function takes more than ${MAX_PARAMETERS} positional parameters`, async (t) => {
  const greedy = productFiles().flatMap((file) =>
    functionsOf(file)
      .filter((one) => one.parameters > MAX_PARAMETERS)
      .map((one) => `${file}: ${one.name} takes ${one.parameters}`),
  );
  t.strictSame(greedy, []);
});

interface FunctionShape {
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
}

function functionsOf(file: string): FunctionShape[] {
  const source = parse(file);
  const shapes: FunctionShape[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      const name = node.name?.getText() ?? 'a function';
      shapes.push({ name, lines: last - first + 1, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return shapes;
}

t.test('no product file has a name that says nothing', async (t) => {
  const vague = new Set(['utils.ts', 'util.ts', 'helpers.ts', 'manager.ts', 'types.ts', 'misc.ts']);
  t.strictSame(
    productFiles().filter((file) => vague.has(basename(file))),
    [],
  );
});

t.test('file names are kebab-case', async (t) => {
  const odd = [...files, ...filesBelow('test', '.ts')].filter(
    (file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.(ts|mjs)$/.test(basename(file)),
  );
  t.strictSame(odd, []);
});

/** Patterns that may not stand in product code, each with the habit it breaks. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/^\s*export\s+\*/m, 'a public door names each export'],
  [/\/\/\s*@ts-(ignore|nocheck)/, 'the compiler is not silenced'],
  [
    /\bfrom '(fs|path|os|net|http|child_process|crypto|events|stream|util|url)'/,
    "Node's own modules are imported with node:",
  ],
  [/\bfrom 'zod'/, 'zod/mini is used, which starts faster than zod'],
  [/\benum\s+[A-Z]/, 'closed sets are unions, not enums'],
];

for (const [pattern, why] of FORBIDDEN) {
  t.test(`in product code ${why}`, async (t) => {
    t.strictSame(
      productFiles().filter((file) => pattern.test(readSource(file))),
      [],
    );
  });
}

t.test('nothing is left to do later', async (t) => {
  // written in two halves so that this file is no match
  const marker = new RegExp(
    `(//|\\*|^\\s*#).*\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`,
    'm',
  );
  const all = [...files, ...filesBelow('test', '.ts')];
  t.strictSame(
    all.filter((file) => marker.test(readSource(file))),
    [],
  );
});

/** Filling a table of one's own is no act; what the process or its loop sees is one. */
const ACTS =
  /^(await |void )?(process|cluster|globalThis|console|set(Interval|Timeout|Immediate))\b/;

t.test(
  'a module that is not main.ts only declares: no statement of it acts on import',
  async (t) => {
    const acting = productFiles()
      .filter((file) => basename(file) !== 'main.ts')
      .flatMap((file) =>
        parse(file)
          .statements.filter((one) => ts.isExpressionStatement(one) && ACTS.test(one.getText()))
          .map((one) => `${file}: ${one.getText().split('\n')[0]}`),
      );
    t.strictSame(acting, []);
  },
);

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readSource(file), ts.ScriptTarget.ES2022, true);
}
