import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import { packageVersion } from '../../../src/core/version.js';

t.test('the version is the one that package.json says', async (t) => {
  const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  t.equal(packageVersion(), manifest.version);
  t.equal(packageVersion(), manifest.version, 'also when asked again');
});

t.test('a file of the package is found from a module in dist/', async (t) => {
  t.ok(existsSync(packageFile('bin', 'gatewarden.js')));
});
