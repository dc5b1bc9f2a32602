import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CgroupContainment } from '../../../../src/containment/cgroup/cgroup-containment.js';
import { CGROUP_FILES, type CgroupFiles } from '../../../../src/containment/cgroup/files.js';
import { NO_LIMITS, type Scope } from '../../../../src/containment/index.js';
import { rlimitSupport } from '../../../../src/containment/rlimits.js';
import { openBest, skipWithoutCgroups, uniqueTag } from '../../../support/test-containment.js';
import { growTree, livingOf } from '../../../support/tree-fixture.js';
import { until } from '../../../support/until.js';

const TIMES = { graceMs: 200, giveUpMs: 30_000, lookEveryMs: 10 };
const AT_ONCE = { ...TIMES, graceMs: 0 };
const ENV = { PATH: process.env['PATH'] ?? '' };
const SLEEP = {
  argv: ['sleep', '1000'] as [string, ...string[]],
  cwd: undefined,
  env: ENV,
  stdio: 'ignore' as const,
};

const options = { skip: skipWithoutCgroups() };

function placeOf(scope: Scope): string {
  if (scope.place === undefined) throw new Error('no cgroup');
  return scope.place;
}

/** A containment in a cgroup of its own whose files answer as the test wants. */
function openWith(t: Test, files: CgroupFiles): CgroupContainment {
  const best = openBest(t);
  const tree = best.place?.tree;
  if (tree === undefined) throw new Error('no cgroup');
  return new CgroupContainment({
    tree,
    tag: uniqueTag(),
    files,
    limits: rlimitSupport('a test'),
    defaultLimits: NO_LIMITS,
    inheritance: undefined,
    onClose: () => Promise.resolve(),
  });
}

t.test('we live in a leaf and programs join their cgroup before they run', options, async (t) => {
  const containment = openBest(t);
  const { leaf = '', tree = '' } = containment.place ?? {};
  t.match(readFileSync(join(leaf, 'cgroup.procs'), 'utf8').split('\n'), [String(process.pid)]);
  t.equal(readFileSync(join(tree, 'cgroup.procs'), 'utf8'), '', 'nobody lives in the inner node');
  const scope = containment.openScope('turn-1');
  t.teardown(() => scope.end(AT_ONCE).then(() => scope.dispose()));
  const child = scope.spawn({
    ...SLEEP,
    argv: ['sh', '-c', 'cat /proc/self/cgroup'],
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  t.match(text, /^0::.*\/turn-1$/m, 'also what the program itself starts is inside');
});

t.test('the end returns by the event of the kernel, not by a clock', options, async (t) => {
  const scope = openBest(t).openScope('turn-1');
  scope.spawn(SLEEP);
  // a look every ten minutes: only an event can be faster
  const ending = await scope.end({ graceMs: 600_000, giveUpMs: 600_000, lookEveryMs: 600_000 });
  t.strictSame(ending.survivors, []);
  t.ok(scope.dispose());
});

t.test(
  'a root that ends by itself is waited for, then its survivors are asked',
  options,
  async (t) => {
    const scope = openBest(t).openScope('turn-1');
    const dir = t.testdir({});
    const told = join(dir, 'told');
    // the child outlives its root and says which signal it got
    const child = `trap 'echo asked >${told}; exit 0' TERM; echo on; while :; do sleep 0.05; done`;
    const root = scope.spawn({
      ...SLEEP,
      argv: ['sh', '-c', `sh -c "$1" & trap 'exit 0' TERM; wait; wait`, 'root', child],
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    root.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await until('both have set their traps', () => text.includes('on'));
    await scope.end({ graceMs: 30_000, giveUpMs: 30_000, lookEveryMs: 10 });
    t.equal(readFileSync(told, 'utf8').trim(), 'asked');
  },
);

t.test('a kill of the group that the kernel refuses is made one by one', options, async (t) => {
  for (const errno of ['EINVAL', 'EBUSY', 'EACCES']) {
    const refused: string[] = [];
    const containment = openWith(t, {
      ...CGROUP_FILES,
      write(path, text) {
        if (!path.endsWith('cgroup.kill')) return CGROUP_FILES.write(path, text);
        refused.push(path);
        return errno;
      },
    });
    const scope = containment.openScope(`turn-${errno}`);
    t.teardown(() => scope.end(AT_ONCE).then(() => scope.dispose()));
    const { pids } = await growTree(scope, 30, 'forks-on');
    const ending = await scope.end(AT_ONCE);
    t.equal(refused.length, 1, `${errno} was said`);
    t.strictSame(ending.survivors, []);
    t.strictSame(livingOf(pids), []);
    t.ok(scope.dispose());
  }
});

t.test('what nothing can end stays listed, bounded in time, and goes later', options, async (t) => {
  let isDeaf = true;
  const containment = openWith(t, {
    ...CGROUP_FILES,
    write: (path, text) =>
      isDeaf && path.endsWith('cgroup.kill') ? 'EINVAL' : CGROUP_FILES.write(path, text),
  });
  const scope = containment.openScope('turn-1');
  t.teardown(() => scope.end(AT_ONCE).then(() => scope.dispose()));
  const child = scope.spawn(SLEEP);
  const kill = process.kill;
  // as for a process in the kernel's own sleep: the signal is taken and has no effect
  process.kill = () => true;
  const ending = await scope.end({ graceMs: 0, giveUpMs: 50, lookEveryMs: 5 });
  process.kill = kill;
  t.strictSame(ending.survivors, [child.pid]);
  t.notOk(scope.dispose(), 'its place stays');
  const successor = containment.openScope('turn-1');
  t.not(successor.place, scope.place, 'the successor gets a new cgroup');
  t.ok(successor.dispose());
  isDeaf = false;
  t.strictSame((await scope.end(AT_ONCE)).survivors, []);
  containment.openScope('turn-2').dispose();
  t.notOk(existsSync(placeOf(scope)), 'what could not be removed is removed at the next turn');
});

t.test('a cgroup of a process that is gone is removed with those below it', options, async (t) => {
  const scope = openBest(t).openScope('coder', { leaf: 'gateway' });
  scope.spawn(SLEEP);
  t.strictSame(readdirSync(placeOf(scope)).includes('gateway'), true);
  execFileSync('mkdir', [join(placeOf(scope), 'made-by-the-program')]);
  await scope.end(AT_ONCE);
  t.ok(scope.dispose());
  t.notOk(existsSync(placeOf(scope)));
});

t.test('a process that is taken in is ended with the scope', options, async (t) => {
  const scope = openBest(t).openScope('a');
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
  t.equal(scope.adopt({ pid: child.pid, ownSession: true, child }), undefined);
  t.match(readFileSync(join(placeOf(scope), 'cgroup.procs'), 'utf8'), String(child.pid));
  t.strictSame(
    (await scope.members()).map(({ pid }) => pid),
    [child.pid],
  );
  await Promise.all([scope.end(AT_ONCE), once(child, 'exit')]);
  t.ok(scope.dispose());
});

t.test('a process that may not be taken in is ended all the same', options, async (t) => {
  const containment = openWith(t, {
    ...CGROUP_FILES,
    write: (path, text) =>
      path.endsWith('/a/cgroup.procs') ? 'EACCES' : CGROUP_FILES.write(path, text),
  });
  const scope = containment.openScope('a');
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
  t.match(scope.adopt({ pid: child.pid, ownSession: true, child }), /EACCES/);
  t.equal(await scope.count(), 1);
  const [ending] = await Promise.all([scope.end(AT_ONCE), once(child, 'exit')]);
  t.strictSame(ending, { signalled: [child.pid], survivors: [] });
  t.ok(scope.dispose());
});

t.test('cgroups and descriptors stay flat over many scopes', options, async (t) => {
  // ten thousand are run, with turns around them, by `npm run bench -- turns`
  const rounds = process.env['GATEWARDEN_THOROUGH'] === '1' ? 1000 : 200;
  const containment = openBest(t);
  const tree = containment.place?.tree ?? '';
  const cgroups = () =>
    readdirSync(tree, { withFileTypes: true }).filter((one) => one.isDirectory());
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const turn = async (number: number) => {
    const scope = containment.openScope(`turn-${number}`);
    const child = scope.spawn(SLEEP);
    const exited = once(child, 'exit');
    await scope.end(AT_ONCE);
    await exited;
    if (!scope.dispose()) t.comment(`the cgroup of turn ${number} was still in use`);
  };
  for (let number = 0; number < 20; number++) await turn(number);
  const before = descriptors();
  for (let number = 20; number < rounds; number++) await turn(number);
  t.strictSame(
    cgroups().map(({ name }) => name),
    ['supervisor'],
  );
  t.ok(descriptors() <= before + 2, `${descriptors()} descriptors after ${before}`);
});
