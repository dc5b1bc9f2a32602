// tap is built once for the plugins that .taprc names. Left to itself it notices that in the
// middle of a run and finishes that run with the old ones, which load a compiler into every test.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const UNWANTED = '@tapjs/typescript';

/** Builds the runner unless it is built for our plugins already. */
export function ensureRunner(root) {
  if (isBuilt(root)) return;
  console.error('test: building the test runner for the plugins in .taprc');
  const tap = join(root, 'node_modules', 'tap', 'dist', 'esm', 'run.mjs');
  // a failure shows again, with its cause, when the tests are run
  spawnSync(process.execPath, [tap, 'build'], { cwd: root, stdio: 'ignore' });
}

function isBuilt(root) {
  const built = join(
    root,
    'node_modules',
    '@tapjs',
    'test',
    'test-built',
    'dist',
    'esm',
    'index.js',
  );
  return existsSync(built) && !readFileSync(built, 'utf8').includes(UNWANTED);
}
