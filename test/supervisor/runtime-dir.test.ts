import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { homeHash } from '../../src/config/paths.js';
import { makeRuntimeDir, removeRuntimeDir } from '../../supervisor/runtime-dir.js';

const UID = process.getuid?.() ?? 0;

function scratch(t: Test): string {
  const path = mkdtempSync('/tmp/gw-run-');
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

t.test('the user’s runtime directory comes first, closed to others', async (t) => {
  const root = scratch(t);
  const made = makeRuntimeDir('/home/of/mine', { XDG_RUNTIME_DIR: root }, UID);
  t.equal(made, join(root, 'gatewarden', homeHash('/home/of/mine')));
  t.equal(statSync(made).mode & 0o777, 0o700);
  removeRuntimeDir(made);
  t.notOk(existsSync(made), 'an empty one is not left behind');
});

t.test('one that is too long is passed over for a shorter one', async (t) => {
  const root = scratch(t);
  const long = join(root, 'x'.repeat(90));
  const home = join(root, 'home');
  const made = makeRuntimeDir(home, { XDG_RUNTIME_DIR: long }, UID);
  t.teardown(() => removeRuntimeDir(made));
  t.notMatch(made, long);
});

t.test(
  'nothing is made in the runtime directory of another user',
  { skip: UID === 0 ? false : 'only root can make a directory of another user' },
  async (t) => {
    const root = scratch(t);
    chownSync(root, 1234, 1234);
    const made = makeRuntimeDir(join(root, 'home'), { XDG_RUNTIME_DIR: root }, UID);
    t.teardown(() => removeRuntimeDir(made));
    t.notOk(existsSync(join(root, 'gatewarden')));
  },
);

t.test('a link that somebody planted in its place is passed over', async (t) => {
  const root = scratch(t);
  const home = join(root, 'home');
  mkdirSync(join(root, 'gatewarden'));
  mkdirSync(join(root, 'trap'));
  symlinkSync(join(root, 'trap'), join(root, 'gatewarden', homeHash(home)));
  const made = makeRuntimeDir(home, { XDG_RUNTIME_DIR: root }, UID);
  t.teardown(() => removeRuntimeDir(made));
  t.notMatch(made, root);
});
