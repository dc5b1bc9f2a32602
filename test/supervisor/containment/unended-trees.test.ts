import t from 'tap';
import { UnendedTrees } from '../../../supervisor/containment/unended-trees.js';
import { until } from '../../support/until.js';

t.test('survivors stay listed until a later try ends them', async (t) => {
  const told: unknown[] = [];
  const trees = new UnendedTrees((profile, pids) => told.push([profile, pids]), 1);
  t.teardown(() => trees.stop());
  let alive = [7, 8];
  const retry = async () => ({ signalled: [], survivors: alive });
  trees.add({ profile: 'coder', survivors: alive, retry });
  trees.add({
    profile: undefined,
    survivors: [9],
    retry: async () => ({ signalled: [], survivors: [9] }),
  });
  t.strictSame(trees.of('coder'), [7, 8]);
  t.strictSame(trees.of(undefined), [9]);
  t.strictSame(trees.of('other'), []);
  alive = [8];
  await until('one has gone', () => trees.of('coder').length === 1);
  t.strictSame(told, [['coder', [7]]]);
  alive = [];
  await until('the other has gone', () => trees.of('coder').length === 0);
  t.strictSame(told.at(-1), ['coder', [8]]);
  t.strictSame(trees.of(undefined), [9], 'and what still lives is not forgotten');
});
