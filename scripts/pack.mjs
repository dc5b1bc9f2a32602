// Started by the Dockerfile and by tests of it: copies what a running gatewarden needs, and
// nothing else, to a folder. Built already: dist/bin and the native parts in node_modules.
//   node scripts/pack.mjs FOLDER
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXTERNAL } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FAILED = 1;

/** What is bundled but for its native part. */
const NATIVE = ['better-sqlite3'];
/** Dependencies of packages that are only needed to install them. */
const INSTALLERS = new Set([
  'prebuild-install',
  'nan',
  'node-gyp',
  'node-addon-api',
  'detect-libc',
]);
/** Folders of a package that nothing runs. */
const IDLE = new Set(['test', 'tests', 'docs', '.github', 'benchmark']);
/** What a native part was compiled from. */
const COMPILED = new Set(['deps', 'src']);

export function pack(folder) {
  for (const name of ['package.json', 'LICENSE', 'bin', join('dist', 'bin')]) copy(name, folder);
  for (const source of ['src', 'supervisor', 'units'].flatMap((name) => assetsIn(name))) {
    copy(source, folder);
  }
  for (const name of NATIVE) copyPackage(name, folder, { onlyNative: true });
  for (const name of closureOf(EXTERNAL)) copyPackage(name, folder, { onlyNative: false });
}

/** Read at run time by their path, such as the launcher's lines of shell. */
function assetsIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.sh'))
    .map((name) => join(folder, name));
}

function copy(name, folder) {
  cpSync(join(root, name), join(folder, name), { recursive: true });
}

function closureOf(names) {
  const found = new Set();
  const add = (name) => {
    if (found.has(name) || INSTALLERS.has(name)) return;
    found.add(name);
    const { dependencies = {} } = manifestOf(name);
    for (const dependency of Object.keys(dependencies)) add(dependency);
  };
  for (const name of names) add(name);
  return found;
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function copyPackage(name, folder, { onlyNative }) {
  const from = join(root, 'node_modules', name);
  const isCompiled = existsSync(join(from, 'binding.gyp'));
  const isWanted = (path) => {
    const inner = relative(from, path).split(sep);
    if (inner.some((part) => IDLE.has(part) || (isCompiled && COMPILED.has(part)))) return false;
    if (inner[0] === 'build') return isNative(inner);
    return !onlyNative || ['', 'package.json', 'LICENSE'].includes(inner.join(sep));
  };
  cpSync(from, join(folder, 'node_modules', name), { recursive: true, filter: isWanted });
}

/** `build/Release/NAME.node` and the folders on the way; the compiler's other work is not needed. */
function isNative(inner) {
  if (inner.length < 3) return inner[1] === undefined || inner[1] === 'Release';
  return inner[1] === 'Release' && inner.length === 3 && isBinary(inner[2]);
}

function isBinary(name) {
  return name.endsWith('.node') && !basename(name).startsWith('test_');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined || dirname(folder) === folder) {
    console.error(
      'pack: error: expected a folder to copy to\n  next: node scripts/pack.mjs FOLDER',
    );
    process.exitCode = FAILED;
  } else {
    pack(folder);
  }
}
