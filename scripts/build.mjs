// Transpiles every source file to dist/ (what tests import) and bundles the entry points to
// dist/bin/ (what people run): one file per process starts in a fraction of the time that
// some hundred small ones take.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { filesIn, SOURCE_FOLDERS, takeStock, writeBuildStamp } from './ensure/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Found beside their own files at run time, and seldom needed. */
export const EXTERNAL = ['unix-dgram', 'pino-pretty'];

const COMMON = { platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' };

/** A program that was started before this build may still load a chunk of the last one. */
const KEEP_OLD_CHUNKS_MS = 7 * 86_400_000;

export async function build() {
  const stock = takeStock(root);
  await transpile();
  await bundle();
  writeBuildStamp(root, stock);
}

export async function transpile() {
  process.chdir(root);
  const sources = SOURCE_FOLDERS.flatMap((folder) => filesIn(root, folder));
  removeOrphans(sources);
  await esbuild.build({
    ...COMMON,
    entryPoints: sources,
    outdir: 'dist',
    outbase: '.',
    sourcemap: 'inline',
    sourcesContent: false,
  });
}

export async function bundle() {
  process.chdir(root);
  removeOldChunks(Date.now() - KEEP_OLD_CHUNKS_MS);
  const common = {
    ...COMMON,
    outdir: 'dist/bin',
    bundle: true,
    external: EXTERNAL,
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [sqliteBinding],
    // CommonJS packages inside an ES module bundle still call require for Node's own modules
    banner: {
      js: "import { createRequire as gatewardenCreateRequire } from 'node:module'; const gatewardenRequire = gatewardenCreateRequire(import.meta.url), require = gatewardenRequire;",
    },
  };
  // needs nearly all of its code: one file costs less than opening some dozen small ones
  await esbuild.build({ ...common, entryPoints: { gateway: 'src/gateway/main.ts' } });
  // a thread reads it in every process of ours: as little as possible
  await esbuild.build({ ...common, entryPoints: { watchdog: 'src/watchdog/thread/main.ts' } });
  await esbuild.build({
    ...common,
    // verbs are loaded one at a time: status must not read what doctor needs
    entryPoints: { cli: 'src/cli/main.ts', 'lock-rival': 'src/ownership/rival/main.ts' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/** The package finds its native part by its own stack trace, which a bundle does not have. */
const sqliteBinding = {
  name: 'sqlite-binding',
  setup(build) {
    build.onResolve({ filter: /^bindings$/ }, ({ path }) => ({ path, namespace: 'binding' }));
    build.onLoad({ filter: /.*/, namespace: 'binding' }, () => ({
      contents: `
        const { dirname, join } = require('node:path');
        const home = dirname(gatewardenRequire.resolve('better-sqlite3/package.json'));
        module.exports = (name) => gatewardenRequire(join(home, 'build', 'Release', name));`,
      resolveDir: root,
    }));
  },
};

/** Outputs whose source is gone; the rest is overwritten in place, under running tests too. */
function removeOrphans(sources) {
  const wanted = new Set(sources.map((file) => join('dist', file.replace(/\.ts$/, '.js'))));
  for (const folder of SOURCE_FOLDERS) {
    const output = join('dist', folder);
    if (!existsSync(output)) continue;
    for (const name of readdirSync(output, { recursive: true })) {
      const file = join(output, name);
      if (name.endsWith('.js') && !wanted.has(file)) rmSync(file, { force: true });
    }
  }
}

function removeOldChunks(before) {
  const folder = join('dist', 'bin', 'chunks');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (statSync(file).mtimeMs < before) rmSync(file, { force: true });
  }
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await build();
