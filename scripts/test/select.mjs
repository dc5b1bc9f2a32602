// Which test files a run means.
import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { filesIn } from '../ensure/sources.mjs';

/** These need a real systemd, s6 or container engine and run only when asked for. */
const REAL_MANAGERS = ['systemd', 's6', 'container'].map((name) => join('test', name));

const isTest = (file) => file.endsWith('.test.ts');
const isReal = (file) => REAL_MANAGERS.some((folder) => file.startsWith(`${folder}/`));

/** @returns sources of the wanted tests, or the first argument that names none */
export function selectTests({ root, real, args }) {
  if (args.length > 0) return selectNamed(root, args);
  return { files: filesIn(root, 'test').filter((file) => isTest(file) && isReal(file) === real) };
}

function selectNamed(root, args) {
  const files = [];
  for (const arg of args) {
    const path = isAbsolute(arg) ? relative(root, arg) : arg;
    const found = testsAt(root, path.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
    if (found.length === 0) return { files, unknown: arg };
    files.push(...found);
  }
  return { files: [...new Set(files)] };
}

function testsAt(root, path) {
  if (!existsSync(join(root, path))) return [];
  if (statSync(join(root, path)).isDirectory()) return filesIn(root, path).filter(isTest);
  return isTest(path) ? [path] : [];
}

export const compiledPath = (file) => join('dist', file.replace(/\.ts$/, '.js'));
