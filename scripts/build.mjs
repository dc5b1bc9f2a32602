// Transpiles every source file to dist/ (what tests import) and bundles the entry points to
// dist/bin/ (what people run): one file per process starts in a fraction of the time that
// some hundred small ones take.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCE_FOLDERS = ['src', 'supervisor', 'units', 'test', 'bench'];

/** Native addons and packages that find their own files at run time stay outside of bundles. */
const EXTERNAL = ['better-sqlite3', 'unix-dgram', 'pino-pretty', 'pino-roll'];

const ENTRY_POINTS = {
  cli: 'src/cli/main.ts',
  gateway: 'src/gateway/main.ts',
};

const COMMON = { platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' };

export async function build() {
  await transpile();
  await bundle();
}

export async function transpile() {
  process.chdir(root);
  for (const folder of SOURCE_FOLDERS)
    rmSync(join('dist', folder), { recursive: true, force: true });
  await esbuild.build({
    ...COMMON,
    entryPoints: SOURCE_FOLDERS.flatMap(typescriptFiles),
    outdir: 'dist',
    outbase: '.',
    sourcemap: 'inline',
    sourcesContent: false,
  });
}

export async function bundle() {
  process.chdir(root);
  rmSync(join('dist', 'bin'), { recursive: true, force: true });
  await esbuild.build({
    ...COMMON,
    entryPoints: ENTRY_POINTS,
    outdir: 'dist/bin',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: EXTERNAL,
    keepNames: true,
    // CommonJS packages inside an ES module bundle still call require for Node's own modules
    banner: {
      js: "import { createRequire as gatewardenCreateRequire } from 'node:module'; const require = gatewardenCreateRequire(import.meta.url);",
    },
  });
}

function typescriptFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
