import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Owner } from '../../../src/core/owner.js';
import { acquireLock, identityOf, ownerPath } from '../../../src/store/index.js';
import { startFixture } from '../../support/fixture-process.js';
import { mountTinyDisk, tinyDiskMissing } from '../../support/tiny-disk.js';
import { until } from '../../support/until.js';

const noDisk = tinyDiskMissing();

function owner(): Owner {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('a running process has an identity');
  return { identity, home: '/home', profile: undefined, startedAt: 1 };
}

/** In memory where that is possible: the rounds below would mostly wait for a slow disk's fsync. */
function fastDirectory(t: { teardown(undo: () => void): void }): string {
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const directory = mkdtempSync(join(base, 'gatewarden-lock-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function takeAndFree(path: string): string {
  const outcome = acquireLock(path, owner());
  if (outcome.kind === 'held') outcome.lock.release();
  return outcome.kind === 'unusable' ? `${outcome.kind} ${outcome.errno}` : outcome.kind;
}

t.test('a lock that another process holds is taken, and its owner is named', async (t) => {
  const path = join(t.testdir(), 'state', 'x.lock');
  const holder = startFixture(t, 'store/takes-lock', [path]);
  await holder.says('held');
  const outcome = acquireLock(path, owner());
  t.match(outcome, { kind: 'taken', owner: { identity: { pid: holder.pid }, home: '/home' } });
  await holder.kill();
  t.equal(takeAndFree(path), 'held', 'its death frees it at once');
});

t.test('a lock outlives the last reference to it in its own process', async (t) => {
  const path = join(t.testdir(), 'x.lock');
  // the fixture forgets the lock and collects garbage before it speaks
  const holder = startFixture(t, 'store/takes-lock', [path]);
  await holder.says('held');
  t.equal(takeAndFree(path), 'taken');
});

// a hundred where time does not matter: each starts a process
const KILLS = process.env.GATEWARDEN_THOROUGH === '1' ? 100 : 10;

t.test(
  `${KILLS} kills at any moment never leave a lock behind`,
  { timeout: 150_000 },
  async (t) => {
    const path = join(fastDirectory(t), 'x.lock');
    for (let round = 0; round < KILLS; round++) {
      const holder = startFixture(t, 'store/takes-lock', [path, 'again']);
      await holder.says('begin');
      // a moment that differs each time, within the time of a few takes
      const until = performance.now() + Math.random() * 3;
      while (performance.now() < until);
      await holder.kill();
      const kind = takeAndFree(path);
      if (kind !== 'held') t.fail(`round ${round}: ${kind}`);
    }
    t.pass('free after each');
  },
);

t.test('of processes that try in the same instant exactly one holds the lock', async (t) => {
  const path = join(fastDirectory(t), 'x.lock');
  for (let round = 0; round < 2; round++) {
    const rivals = [1, 2, 3].map(() => startFixture(t, 'store/takes-lock', [path, 'wait']));
    await Promise.all(rivals.map((rival) => rival.says('waiting')));
    for (const rival of rivals) rival.tell('go');
    await until('all have tried', () => rivals.every((rival) => rival.lines.length === 2));
    const kinds = rivals.map((rival) => rival.lines[1]).sort();
    t.strictSame(kinds, ['held', 'taken', 'taken']);
    await Promise.all(rivals.map((rival) => rival.kill()));
  }
});

t.test('trying again from inside neither succeeds nor frees what is held', async (t) => {
  const path = join(t.testdir(), 'x.lock');
  const outcome = acquireLock(path, owner());
  if (outcome.kind !== 'held') throw new Error('a free lock is held');
  writeFileSync(path, 'garbage '.repeat(1000));
  // the writeFileSync above closed a descriptor of the file: that alone drops a POSIX lock, as
  // would any look into the file by us, so the guarantee is about acquireLock and is asked here
  t.equal(acquireLock(path, owner()).kind, 'taken');
  t.equal(readFileSync(path, 'utf8').length, 8000, 'it did not touch the file');
  outcome.lock.release();
  outcome.lock.release();
  t.equal(takeAndFree(path), 'held');
});

t.test('a lock file of length zero and one full of garbage are both usable', async (t) => {
  const dir = t.testdir({ empty: '', garbage: 'not a database '.repeat(500) });
  t.equal(takeAndFree(join(dir, 'empty')), 'held');
  t.equal(takeAndFree(join(dir, 'garbage')), 'held');
  t.equal(statSync(join(dir, 'garbage')).size, 0, 'it holds nothing, so nothing is kept');
});

t.test('a garbage lock file in the hands of a live process is still taken', async (t) => {
  const path = join(t.testdir(), 'x.lock');
  const holder = startFixture(t, 'store/takes-lock', [path]);
  await holder.says('held');
  writeFileSync(path, 'garbage '.repeat(1000));
  t.equal(takeAndFree(path), 'taken');
});

t.test('a hint is never proof: a live stranger in it does not make the lock taken', async (t) => {
  const path = join(t.testdir(), 'x.lock');
  const stranger = { ...owner(), identity: { pid: process.ppid, startTicks: 1, bootId: 'x' } };
  writeFileSync(ownerPath(path), JSON.stringify(stranger));
  t.equal(takeAndFree(path), 'held');
});

t.test('a hint of a dead process is not told as the owner', async (t) => {
  const path = join(t.testdir(), 'x.lock');
  const holder = startFixture(t, 'store/takes-lock', [path]);
  await holder.says('held');
  const dead = { ...owner(), identity: { ...owner().identity, startTicks: 1 } };
  for (const text of [JSON.stringify(dead), '', 'null', '{"identity":{"pid":-1}}']) {
    writeFileSync(ownerPath(path), text);
    t.strictSame(acquireLock(path, owner()), { kind: 'taken', owner: undefined });
  }
});

t.test('a lock that cannot be used says why with an errno', async (t) => {
  const dir = t.testdir({ directory: {}, file: '' });
  t.equal(takeAndFree(join(dir, 'directory')), 'unusable EISDIR');
  t.equal(takeAndFree(join(dir, 'file', 'x.lock')), 'unusable ENOTDIR');
  t.equal(takeAndFree('/proc/nowhere/x.lock'), 'unusable ENOENT');
  mkdirSync(join(dir, 'closed'));
  chmodSync(join(dir, 'closed'), 0o500);
  const expected = process.getuid?.() === 0 ? 'held' : 'unusable EACCES';
  t.equal(takeAndFree(join(dir, 'closed', 'x.lock')), expected);
});

t.test('a full disk does not stop who already has a lock file', { skip: noDisk }, async (t) => {
  const disk = mountTinyDisk(t, 256);
  const path = join(disk.path, 'x.lock');
  t.equal(takeAndFree(path), 'held');
  disk.fill();
  const outcome = acquireLock(path, owner());
  t.equal(outcome.kind, 'held');
  t.notOk(existsSync(ownerPath(path)), 'only the hint could not be written');
  if (outcome.kind === 'held') outcome.lock.release();
});
