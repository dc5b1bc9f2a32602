import t, { type Test } from 'tap';
import type { Containment } from '../../../src/containment/index.js';
import { openBest, openSession, skipWithoutCgroups } from '../../support/test-containment.js';
import { growTree, livingOf, SHAPES, type Shape } from '../../support/tree-fixture.js';
import { until } from '../../support/until.js';

const TIMES = { graceMs: 200, giveUpMs: 60_000, lookEveryMs: 10 };
const AT_ONCE = { ...TIMES, graceMs: 0 };
const isThorough = process.env['GATEWARDEN_THOROUGH'] === '1';

/** What the second rung cannot see; told in docs/containment.md and by `doctor`. */
const BEYOND_SESSION: Shape = 'scrubbed-double-fork';

async function endsWhole(t: Test, containment: Containment, count: number, shape: Shape) {
  const startedAt = performance.now();
  const scope = containment.openScope(`turn-${shape}-${count}`);
  t.teardown(() => scope.end(AT_ONCE));
  const { child, pids, isOver } = await growTree(scope, count, shape);
  const grownAt = performance.now();
  // its members change under the eyes of whoever counts them
  if (shape === 'forks-on') t.ok((await scope.count()) > 1, 'they are counted');
  else t.equal(await scope.count(), count, `${count} ${shape} are counted`);
  const countedAt = performance.now();
  const ending = await scope.end(TIMES);
  const endedAt = performance.now();
  const took = [grownAt - startedAt, countedAt - grownAt, endedAt - countedAt].map(Math.round);
  t.comment(
    `${containment.rung}: ${count} ${shape}: grown, counted, ended in ${took.join(', ')} ms`,
  );
  t.strictSame(ending.survivors, [], `${count} ${shape} are ended`);
  t.strictSame(livingOf(pids), [], `no ${shape} lives`);
  await until(`the end of all ${shape}`, isOver, { deadlineMs: 5000 });
  t.equal(await scope.count(), 0);
  t.ok(scope.dispose(), 'its place is given back');
  child.stdout?.destroy();
}

t.test('cgroup2 leaves nobody, whatever the shape', { skip: skipWithoutCgroups() }, async (t) => {
  const containment = openBest(t);
  t.equal(containment.rung, 'cgroup2');
  for (const shape of SHAPES) await endsWhole(t, containment, 100, shape);
  await endsWhole(t, containment, 1, 'plain');
  // growing a thousand takes longer than ending them: in full where everything must be real
  const large = isThorough ? SHAPES : [];
  for (const shape of large) await endsWhole(t, containment, 1000, shape);
});

t.test('session+tag leaves nobody in every shape but one', async (t) => {
  const containment = openSession();
  for (const shape of SHAPES) {
    if (shape !== BEYOND_SESSION) await endsWhole(t, containment, 100, shape);
  }
  await endsWhole(t, containment, 1, 'plain');
  const large = isThorough ? SHAPES.filter((shape) => shape !== BEYOND_SESSION) : [];
  for (const shape of large) await endsWhole(t, containment, 1000, shape);
});

t.test('session+tag ends what is ahead of every walk over /proc', async (t) => {
  // each of them lives for two milliseconds and leaves one child
  for (let round = 0; round < 5; round++) await endsWhole(t, openSession(), 2, 'forks-on');
});

t.test('session+tag does not see what scrubs its environment after a double fork', async (t) => {
  const scope = openSession().openScope('turn-scrubs');
  const { child, pids } = await growTree(scope, 5, BEYOND_SESSION);
  t.teardown(() => {
    for (const pid of livingOf(pids)) process.kill(pid, 'SIGKILL');
  });
  t.equal(await scope.count(), 1, 'only the root is known');
  await scope.end(AT_ONCE);
  t.equal(livingOf(pids).length, 4, 'the others live on: this is why the rung is told');
  child.stdout?.destroy();
});
