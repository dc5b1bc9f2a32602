import { homedir } from 'node:os';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';
import { publicFiles, readSource } from '../support/sources.js';

/**
 * Whatever the public reads holds for every machine: no folder of this one, and no host that
 * packages happen to come from. Paths that only exist here are found by asking this machine.
 */
const here = packageFile().replace(/\/$/, '');
/** whose terminal the pages show: she may well run these tests herself */
const EXAMPLE_HOME = '/home/ada';
const FOLDERS_OF_THIS_MACHINE = [here, homedir()].filter(
  (path) => path.length > '/root'.length && path !== EXAMPLE_HOME,
);

const HOSTS = /\bregistry\.(npmjs|yarnpkg)\b|\bnpmmirror\b|"resolved":/;

t.test('no public file names a folder of the machine it was written on', async (t) => {
  const naming = publicFiles().filter((file) => {
    const text = readSource(file);
    return FOLDERS_OF_THIS_MACHINE.some((folder) => text.includes(`${folder}/`));
  });
  t.strictSame(naming, []);
});

t.test('no public file ties us to a host that serves packages', async (t) => {
  const files = [...publicFiles(), 'package-lock.json'].filter(
    (file) => file !== 'test/house/words.test.ts',
  );
  t.strictSame(
    files.filter((file) => HOSTS.test(readSource(file))),
    [],
  );
});
