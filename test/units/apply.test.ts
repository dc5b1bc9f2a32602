import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  let seen: string[] = [];
  await applyWrites([{ kind: 'create-folder', folder: slot, files }], {
    beforePublish: async (staging) => {
      t.match(basename(staging), /^\.gateway-coder\./);
      t.strictSame(readdirSync(folder), [basename(staging)], 'not yet there');
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

t.test('of several that publish a slot at once one wins, whole; the others are told', async (t) => {
  const folder = t.testdir();
  const slot = join(folder, 'gateway-coder');
  const publish = (text: string) => {
    const files = ['run', 'log/run'].map((name) => ({ path: join(slot, name), text, mode: 0o755 }));
    return applyWrites([{ kind: 'create-folder', folder: slot, files }], {
      // so that all of them are built before the first is published
      beforePublish: async () => {
        arrived += 1;
        if (arrived === 3) open();
        await gate;
      },
    });
  };
  let arrived = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const results = await Promise.all(['a', 'b', 'c'].map(publish));
  t.strictSame(results.map((done) => done.length).sort(), [0, 0, 1]);
  t.equal(readFileSync(join(slot, 'run'), 'utf8'), readFileSync(join(slot, 'log/run'), 'utf8'));
  t.strictSame(readdirSync(folder), ['gateway-coder']);
});

t.test('what killed installs left is cleared; what others build now is not', async (t) => {
  const folder = t.testdir();
  const slot = join(folder, 'gateway-coder');
  const { pid: dead = 0 } = spawnSync('true');
  const living = `.gateway-coder.${process.pid}.00000000.tmp`;
  const names = ['.gateway-coder.tmp', `.gateway-coder.${dead}.00000000.tmp`, living, '.other.tmp'];
  for (const name of names) mkdirSync(join(folder, name, 'log'), { recursive: true });
  writeFileSync(join(folder, `.a.service.${dead}.00000000.tmp`), '');
  const files = [{ path: join(slot, 'run'), text: '', mode: 0o755 }];
  await applyWrites([
    { kind: 'create-folder', folder: slot, files },
    { kind: 'create', file: { path: join(folder, 'a.service'), text: 'x', mode: 0o644 } },
  ]);
  t.strictSame(readdirSync(folder).sort(), [living, '.other.tmp', 'a.service', 'gateway-coder']);
});

t.test('what cannot be read is an error, what is not there is not', async (t) => {
  const folder = t.testdir({ file: 'x' });
  const paths = [join(folder, 'file'), join(folder, 'none'), join(folder, 'file', 'below')];
  t.strictSame([...readPresent(paths).keys()], [paths[0]]);
  writeFileSync(join(folder, 'other'), '');
  t.throws(() => readPresent([folder]), { code: 'EISDIR' });
});
