import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';

const module = pathToFileURL(packageFile('scripts', 'ensure', 'lock.mjs')).href;
const { withLock } = (await import(module)) as {
  withLock<Result>(
    root: string,
    say: (line: string) => void,
    work: () => Promise<Result>,
  ): Promise<Result>;
};

/** A process that holds the lock until it is killed. */
async function startHolder(root: string) {
  const program = `
    const { withLock } = await import(${JSON.stringify(module)});
    await withLock(process.argv[1], () => {}, () => new Promise(() => {
      console.log('held');
      setInterval(() => {}, 1000);
    }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

t.test('two who want to install at once do it one after the other', async (t) => {
  const root = t.testdir();
  let inside = 0;
  const work = async () => {
    t.equal(++inside, 1, 'alone');
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withLock(root, () => {}, work)));
  t.notOk(existsSync(join(root, 'dist', '.lock')), 'and leave nothing behind');
});

t.test('who waits says for whom, and goes on when that one has died', async (t) => {
  const root = t.testdir();
  const holder = await startHolder(root);
  const lines: string[] = [];
  const waiting = withLock(
    root,
    (line) => {
      lines.push(line);
      // only now is it certain that it waited; a killed holder removes nothing
      holder.kill('SIGKILL');
    },
    async () => 'done',
  );
  t.equal(await waiting, 'done');
  t.strictSame(lines, [`waiting for pid ${holder.pid}, which installs or builds here already`]);
});

t.test('a lock whose pid belongs to another process by now is taken over', async (t) => {
  const root = t.testdir();
  const directory = join(root, 'dist', '.lock');
  mkdirSync(directory, { recursive: true });
  // this very process is alive, but it did not begin at that time
  writeFileSync(
    join(directory, 'owner.json'),
    JSON.stringify({ pid: process.pid, startTicks: '1' }),
  );
  t.equal(await withLock(root, t.fail, async () => 'done'), 'done');
});

t.test('the lock is released when the work fails, and the failure is told', async (t) => {
  const root = t.testdir();
  const failing = withLock(root, t.fail, async () => {
    t.match(JSON.parse(readFileSync(join(root, 'dist', '.lock', 'owner.json'), 'utf8')), {
      pid: process.pid,
    });
    throw new Error('no space');
  });
  await t.rejects(failing, { message: 'no space' });
  t.equal(await withLock(root, t.fail, async () => 'done'), 'done');
});
