import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { applyWrites, readPresent } from '../../units/apply.js';

t.test('a file is replaced in one step, with its mode, and nothing stays beside it', async (t) => {
  const folder = t.testdir({ 'a.service': 'old' });
  const path = join(folder, 'a.service');
  await applyWrites([{ kind: 'replace', file: { path, text: 'new', mode: 0o600 }, was: 'old' }]);
  t.equal(readFileSync(path, 'utf8'), 'new');
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.strictSame(readdirSync(folder), ['a.service']);
});

t.test('folders that are missing above a file are made', async (t) => {
  const path = join(t.testdir(), 'a', 'b', 'c.service');
  await applyWrites([{ kind: 'create', file: { path, text: 'x', mode: 0o644 } }]);
  t.equal(readFileSync(path, 'utf8'), 'x');
});

t.test('a slot stands complete under a name with a dot before it is published', async (t) => {
  const folder = t.testdir();
  const slot = join(folder, 'gateway-coder');
  const files = ['run', 'log/run'].map((name) => ({
    path: join(slot, name),
    text: name,
    mode: 0o755,
  }));
  // what an earlier try left behind, field case E4
  mkdirSync(join(folder, '.gateway-coder.tmp', 'stale'), { recursive: true });
  let seen: string[] = [];
  await applyWrites([{ kind: 'create-folder', folder: slot, files }], {
    beforePublish: async (staging) => {
      t.equal(staging, join(folder, '.gateway-coder.tmp'));
      t.strictSame(readdirSync(folder), ['.gateway-coder.tmp'], 'not yet there');
      seen = readdirSync(staging, { recursive: true, encoding: 'utf8' }).sort();
    },
  });
  t.strictSame(seen, ['log', 'log/run', 'run']);
  t.strictSame(readdirSync(folder), ['gateway-coder']);
});

t.test('a slot that could not be prepared is not published and leaves nothing', async (t) => {
  const folder = t.testdir();
  const slot = join(folder, 'gateway-coder');
  const files = [{ path: join(slot, 'run'), text: '', mode: 0o755 }];
  const failing = applyWrites([{ kind: 'create-folder', folder: slot, files }], {
    beforePublish: () => Promise.reject(new Error('no fifo')),
  });
  await t.rejects(failing, { message: 'no fifo' });
  t.strictSame(readdirSync(folder), []);
});

t.test('what cannot be read is an error, what is not there is not', async (t) => {
  const folder = t.testdir({ file: 'x' });
  const paths = [join(folder, 'file'), join(folder, 'none'), join(folder, 'file', 'below')];
  t.strictSame([...readPresent(paths).keys()], [paths[0]]);
  writeFileSync(join(folder, 'other'), '');
  t.throws(() => readPresent([folder]), { code: 'EISDIR' });
});
