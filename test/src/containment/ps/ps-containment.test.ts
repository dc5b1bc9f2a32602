import { spawn } from 'node:child_process';
import t from 'tap';
import { PsContainment } from '../../../../src/containment/ps/ps-containment.js';
import { findByPs } from '../../../../src/containment/ps/ps-tree.js';
import { uniqueTag } from '../../../support/test-containment.js';
import { growTree, livingOf } from '../../../support/tree-fixture.js';

const TIMES = { graceMs: 200, giveUpMs: 60_000, lookEveryMs: 20 };

t.test('what descends from a program is found by ps and ended', async (t) => {
  for (const shape of ['scrubbed', 'ignores-sigterm'] as const) {
    const scope = new PsContainment(uniqueTag(), 'a test').openScope('turn-1');
    t.teardown(() => scope.end({ ...TIMES, graceMs: 0 }));
    const { child, pids } = await growTree(scope, 4, shape);
    t.equal(await scope.count(), 4, `${shape} are counted`);
    t.strictSame((await scope.end(TIMES)).survivors, []);
    t.strictSame(livingOf(pids), [], `no ${shape} lives`);
    child.stdout?.destroy();
  }
});

t.test(
  'a number that a stranger has by now leads neither to him nor to his children',
  async (t) => {
    const stranger = spawn('sh', ['-c', 'sleep 1000 & wait'], { stdio: 'ignore', detached: true });
    const { pid = 0 } = stranger;
    t.teardown(() => process.kill(-pid, 'SIGKILL'));
    const gone = { pid, startTicks: undefined, started: 'Thu Jan  1 00:00:00 1970' };
    t.strictSame(await findByPs([gone]), []);
  },
);

t.test('without ps the children that are known are ended all the same', async (t) => {
  const scope = new PsContainment(uniqueTag(), 'a test').openScope('turn-1');
  const { child, pids } = await growTree(scope, 1, 'plain');
  const { PATH } = process.env;
  process.env['PATH'] = '/nonexistent';
  const { signalled } = await scope.end(TIMES);
  process.env['PATH'] = PATH;
  t.strictSame(signalled, pids);
  t.match(scope.notices, [/^ps failed, so only direct children can be ended/]);
  child.stdout?.destroy();
});
