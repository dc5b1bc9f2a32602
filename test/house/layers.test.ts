import { existsSync } from 'node:fs';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';
import { type ImportLine, importsOf, productFiles } from '../support/sources.js';

const BASES = [
  'src/core',
  'src/config',
  'src/store',
  'src/observability',
  'src/containment',
  'src/watchdog',
  'src/manager',
  'src/ownership',
  'src/forensics',
] as const;

/** Which layers a layer may import besides itself (style, habit 3). */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/core': [],
  'src/config': ['src/core'],
  // paths and the shape of a checked configuration
  'src/store': ['src/core', 'src/config'],
  'src/observability': ['src/core', 'src/config'],
  'src/containment': ['src/core'],
  // its thread lives in gateways and in the supervisor
  'src/watchdog': ['src/core', 'src/observability', 'src/containment'],
  'src/manager': ['src/core'],
  // locks and records of processes, and where they lie
  'src/ownership': ['src/core', 'src/config', 'src/store'],
  // its look at the host is started by the one launcher
  'src/forensics': ['src/core', 'src/containment'],
  supervisor: BASES,
  'src/gateway': BASES,
  'src/connector': BASES,
  units: BASES,
  'src/cli': [...BASES, 'supervisor', 'src/gateway', 'src/connector', 'units'],
};

function layerOf(file: string): string | undefined {
  return Object.keys(ARROWS).find((layer) => file.startsWith(`${layer}/`));
}

const files = productFiles();
const imports = files.flatMap(importsOf);

t.test('every product file belongs to a layer', async (t) => {
  t.strictSame(
    files.filter((file) => layerOf(file) === undefined),
    [],
  );
});

t.test('the reader of import lines sees every kind of import', async (t) => {
  const kinds = new Set(importsOf('src/core/judge.ts').map((line) => line.kind));
  t.ok(kinds.has('type') && kinds.has('value'));
  t.ok(imports.length > files.length, 'most files import something');
});

t.test('a relative import names a file that exists', async (t) => {
  const dangling = imports.filter(
    ({ target }) => target !== undefined && !existsSync(packageFile(target)),
  );
  t.strictSame(dangling.map(describeImport), []);
});

t.test('imports point one way, type imports too', async (t) => {
  t.strictSame(imports.filter(isForbidden).map(describeImport), []);
});

function isForbidden({ from, target }: ImportLine): boolean {
  if (target === undefined) return false;
  const [source, wanted] = [layerOf(from), layerOf(target)];
  if (source === undefined) return false;
  if (wanted === undefined) return true;
  return source !== wanted && !(ARROWS[source] ?? []).includes(wanted);
}

function describeImport({ from, specifier }: ImportLine): string {
  return `${from} imports ${specifier}`;
}

t.test('no file reaches itself through what it imports', async (t) => {
  const targets = new Map<string, string[]>(files.map((file) => [file, []]));
  // a type-only import vanishes: it orders nothing at run time, but the arrow counts above
  for (const { from, target, kind } of imports) {
    if (target !== undefined && kind === 'value') targets.get(from)?.push(target);
  }
  t.strictSame(findCycles(targets), []);
});

function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

t.test('what we import from packages is a dependency, not a development tool', async (t) => {
  const { default: manifest } = await import(packageFile('package.json'), {
    with: { type: 'json' },
  });
  const known = new Set(Object.keys(manifest.dependencies));
  const unknown = imports.filter(({ specifier, target }) => {
    if (target !== undefined || specifier.startsWith('node:')) return false;
    const parts = specifier.split('/');
    return !known.has(parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/'));
  });
  t.strictSame(unknown.map(describeImport), []);
});
