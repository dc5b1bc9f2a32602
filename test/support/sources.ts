import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { packageFile } from '../../src/core/package-root.js';

/** What we ship, as TypeScript. */
export const PRODUCT_FOLDERS = ['src', 'supervisor', 'units'] as const;

export interface ImportLine {
  readonly from: string;
  /** as written: `./judge.js`, `node:fs`, `zod/mini` */
  readonly specifier: string;
  /** path from the package's root, such as `src/core/judge.ts`; undefined for a package */
  readonly target: string | undefined;
  readonly kind: 'value' | 'type' | 'dynamic';
}

export function readSource(file: string): string {
  return readFileSync(packageFile(file), 'utf8');
}

/** Files below a folder as paths from the package's root, sorted; none when it does not exist. */
export function filesBelow(folder: string, extension = ''): string[] {
  const top = packageFile(folder);
  if (statSync(top, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension) && statSync(join(top, name)).isFile())
    .map((name) => join(folder, name))
    .sort();
}

export function productFiles(): string[] {
  return PRODUCT_FOLDERS.flatMap((folder) => filesBelow(folder, '.ts'));
}

const STATIC = /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

export function importsOf(file: string): ImportLine[] {
  const text = withoutComments(readSource(file));
  const lines: ImportLine[] = [];
  for (const [, type, specifier = ''] of text.matchAll(STATIC)) {
    lines.push(importLine(file, specifier, type === undefined ? 'value' : 'type'));
  }
  for (const [, specifier = ''] of text.matchAll(DYNAMIC)) {
    lines.push(importLine(file, specifier, 'dynamic'));
  }
  return lines;
}

function importLine(from: string, specifier: string, kind: ImportLine['kind']): ImportLine {
  const target = specifier.startsWith('.')
    ? posix.join(dirname(from), specifier).replace(/\.js$/, '.ts')
    : undefined;
  return { from, specifier, target, kind };
}

/** Blanks out comments and keeps the line numbers; strings that look like comments go too. */
export function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(),])\/\/.*$/gm, '$1');
}

/** Every file that git would commit: what the public can read. */
export function publicFiles(): string[] {
  const top = ['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', 'Dockerfile'];
  const present = top.filter((file) => statSync(packageFile(file), { throwIfNoEntry: false }));
  const folders = ['.ci', 'bin', 'scripts', 'docs', 'test', 'bench', 's6-overlay'];
  return [...present, ...[...folders, ...PRODUCT_FOLDERS].flatMap((folder) => filesBelow(folder))];
}
