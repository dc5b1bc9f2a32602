import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';
import { productFiles } from '../support/sources.js';

/**
 * Imports one module after the other in a process of its own and tells what each left behind:
 * timers, sockets, open files, listeners on the process, output.
 */
const PROBE = `
  import { readdirSync, readlinkSync } from 'node:fs';
  const quiet = new Set(['TTYWrap', 'PipeWrap', 'CloseReq', 'Immediate']);
  const openFiles = () => {
    try {
      return readdirSync('/proc/self/fd').map((fd) => {
        try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; }
      }).filter((path) => path.startsWith('/') && !path.startsWith('/proc/') && !path.startsWith('/dev/'));
    } catch { return []; }
  };
  const facts = () => ({
    resources: process.getActiveResourcesInfo().filter((one) => !quiet.has(one)).sort().join(),
    listeners: process.eventNames().map((name) => String(name) + process.listenerCount(name)).sort().join(),
    files: openFiles().sort().join(),
    environment: JSON.stringify(process.env),
    exitCode: String(process.exitCode),
    directory: process.cwd(),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const changed = [];
  for (const module of JSON.parse(process.argv[1])) {
    const before = facts();
    await import(module);
    await settle();
    const after = facts();
    for (const name of Object.keys(before)) {
      if (before[name] !== after[name]) changed.push({ module, name, after: after[name] });
    }
  }
  console.log(JSON.stringify(changed));
`;

t.test('importing a module starts nothing, opens nothing and says nothing', async (t) => {
  const modules = productFiles()
    .filter((file) => basename(file) !== 'main.ts')
    .map((file) => packageFile('dist', file.replace(/\.ts$/, '.js')));
  const args = ['--input-type=module', '-e', PROBE, JSON.stringify(modules)];
  const result = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  t.equal(result.status, 0, 'the process ends by itself');
  t.equal(result.stderr, '', 'and prints nothing');
  t.strictSame(JSON.parse(result.stdout), []);
});
