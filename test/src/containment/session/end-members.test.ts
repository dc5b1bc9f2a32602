import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import {
  endMembers,
  findMembers,
  type Membership,
  readStat,
  rootOf,
} from '../../../../src/containment/index.js';
import { SCOPE_VARIABLE } from '../../../../src/core/scope.js';
import { fixture } from '../../../support/fixture.js';
import { until } from '../../../support/until.js';

const TIMES = { graceMs: 300, giveUpMs: 20_000, lookEveryMs: 5 };

interface Tree {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly membership: Membership;
  readonly output: () => string;
}

function start(t: Test, name: string, scope: string): Tree {
  const child = spawn(fixture(name), {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, [SCOPE_VARIABLE]: scope },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('not spawned');
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const roots = [rootOf(pid, true)].filter((root) => root !== undefined);
  const membership = { roots, hasScope: (s: string) => s === scope };
  t.teardown(async () => {
    await endMembers(membership, { ...TIMES, graceMs: 0 });
    child.stdout?.destroy();
  });
  return { child, pid, membership, output: () => text };
}

function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function grandchildOf(tree: Tree): number {
  return Number(/grandchild (\d+)/.exec(tree.output())?.[1]);
}

t.test('a tree with a grandchild in its own session ends whole', async (t) => {
  const tree = start(t, 'leaves-grandchildren', 'end:1');
  await until('the grandchild is known', () => isAlive(grandchildOf(tree)));
  const grandchild = grandchildOf(tree);
  const ending = await endMembers(tree.membership, TIMES);
  t.strictSame(ending.survivors, []);
  t.ok(ending.signalled.includes(grandchild));
  t.notOk(isAlive(tree.pid));
  t.notOk(isAlive(grandchild));
});

t.test('what a dead root left behind is found by its tag', async (t) => {
  const tree = start(t, 'dies-leaving-grandchild', 'end:2');
  const exited = once(tree.child, 'exit');
  await until('the grandchild is known', () => isAlive(grandchildOf(tree)));
  await exited;
  t.strictSame(
    findMembers(tree.membership).map((one) => one.pid),
    [grandchildOf(tree)],
  );
  const ending = await endMembers(tree.membership, TIMES);
  t.strictSame(ending, { signalled: [grandchildOf(tree)], survivors: [] });
});

t.test('a process that ignores SIGTERM is killed after the grace', async (t) => {
  const tree = start(t, 'ignores-sigterm', 'end:3');
  await until('it has set its trap', () => tree.output().includes('started'));
  const exited = once(tree.child, 'exit');
  const ending = await endMembers(tree.membership, TIMES);
  t.strictSame(ending.survivors, []);
  t.strictSame(await exited, [null, 'SIGKILL']);
});

t.test('SIGTERM comes at once and only once, and nobody waits out a grace', async (t) => {
  const tree = start(t, 'cleans-up-on-term', 'end:5');
  await until('it has set its trap', () => tree.output().includes('started'));
  const closed = once(tree.child, 'close');
  const ending = await endMembers(tree.membership, { ...TIMES, graceMs: 3_600_000 });
  t.strictSame(ending.survivors, []);
  t.strictSame(await closed, [0, null], 'it was left to end by itself');
  t.equal(tree.output(), 'started\nTERM\n');
});

t.test('a stopped process is ended too', async (t) => {
  const tree = start(t, 'never-ready', 'end:4');
  await until('it runs', () => isAlive(tree.pid));
  process.kill(tree.pid, 'SIGSTOP');
  await until('it is stopped', () => readStat(tree.pid)?.state === 'T');
  const ending = await endMembers(tree.membership, TIMES);
  t.strictSame(ending.survivors, []);
  t.notOk(isAlive(tree.pid));
});

t.test('a process that merely shares a pid with nobody of ours is left alone', async (t) => {
  const stranger = start(t, 'never-ready', 'someone-else');
  const membership = { roots: [], hasScope: (s: string) => s === 'x' };
  t.strictSame(await endMembers(membership, TIMES), { signalled: [], survivors: [] });
  t.ok(isAlive(stranger.pid));
});
