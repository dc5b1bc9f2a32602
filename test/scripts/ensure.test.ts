import {
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';

interface Sources {
  isBuildFresh(root: string): boolean;
  writeBuildStamp(root: string, stock: unknown): void;
  takeStock(root: string): unknown;
}

const load = (name: string): Promise<unknown> => import(packageFile('scripts', 'ensure', name));
const { isBuildFresh, writeBuildStamp, takeStock } = (await load('sources.mjs')) as Sources;
const { areDependenciesFresh } = (await load('dependencies.mjs')) as {
  areDependenciesFresh(root: string): boolean;
};

function aClone(dir: string): string {
  for (const file of ['package.json', 'package-lock.json', 'scripts/build.mjs', 'src/core']) {
    cpSync(packageFile(file), join(dir, file), { recursive: true });
  }
  return dir;
}

function aBuiltClone(dir: string): string {
  const root = aClone(dir);
  mkdirSync(join(root, 'dist', 'bin'), { recursive: true });
  for (const name of ['cli.js', 'gateway.js']) writeFileSync(join(root, 'dist', 'bin', name), '');
  writeBuildStamp(root, takeStock(root));
  return root;
}

t.test('a build is fresh until a source changes, appears, moves or goes', async (t) => {
  const changes: Readonly<Record<string, (root: string) => void>> = {
    changes: (root) => writeFileSync(join(root, 'src/core/names.ts'), 'export const x = 1;'),
    appears: (root) => writeFileSync(join(root, 'src/core/extra.ts'), ''),
    goes: (root) => rmSync(join(root, 'src/core/names.ts')),
    moves: (root) => {
      cpSync(join(root, 'src/core/names.ts'), join(root, 'src/core/title.ts'));
      rmSync(join(root, 'src/core/names.ts'));
    },
    'is built differently': (root) => writeFileSync(join(root, 'scripts/build.mjs'), ''),
    'loses its output': (root) => rmSync(join(root, 'dist/bin/cli.js')),
    'loses its stamp': (root) => rmSync(join(root, 'dist/.built-from')),
  };
  for (const [name, change] of Object.entries(changes)) {
    const root = aBuiltClone(t.testdir());
    t.ok(isBuildFresh(root), 'fresh');
    change(root);
    t.notOk(isBuildFresh(root), name);
  }
});

t.test('a time stamp alone makes no build stale', async (t) => {
  const root = aBuiltClone(t.testdir());
  const text = packageFile('src/core/names.ts');
  cpSync(text, join(root, 'src/core/names.ts'));
  t.ok(isBuildFresh(root));
});

t.test('a change that keeps size and time stamp is seen', async (t) => {
  const root = aBuiltClone(t.testdir());
  const file = join(root, 'src/core/names.ts');
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, 'utf8').replace('default', 'DEFAULT'));
  utimesSync(file, atime, mtime);
  t.notOk(isBuildFresh(root));
});

t.test('a clone without dependencies, or with other ones, is not fresh', async (t) => {
  const root = aClone(t.testdir());
  t.notOk(areDependenciesFresh(root), 'none');
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'node_modules', '.gatewarden-installed'), 'another lock file');
  t.notOk(areDependenciesFresh(root), 'installed from another lock file');
});
