import t from 'tap';
import { isInsideTreeOf } from '../../../../src/cli/control/own-tree.js';
import { ancestors } from '../../../../src/cli/control/process-facts.js';
import { aProfile } from '../../../support/status-facts.js';

const coder = aProfile({ name: 'coder', pid: 4711 });
const OUTSIDE = { ancestors: [9, 8, 1], env: {}, homeHash: 'aabbccdd', cgroup: '' };

t.test('a descendant of the gateway is inside its tree', async (t) => {
  t.equal(isInsideTreeOf(coder, OUTSIDE), false);
  t.equal(isInsideTreeOf(coder, { ...OUTSIDE, ancestors: [9, 4711, 1] }), true);
});

t.test('a process that was re-parented is known by its tag: home and profile count', async (t) => {
  const tagged = (scope: string) =>
    isInsideTreeOf(coder, { ...OUTSIDE, env: { GATEWARDEN_SCOPE: scope } });
  t.equal(tagged('aabbccdd:42-7:coder:3'), true);
  t.equal(tagged('aabbccdd:42-7:other:3'), false);
  t.equal(tagged('00000000:42-7:coder:3'), false);
  t.equal(tagged('coder'), false);
});

t.test('a process that scrubbed its environment is known by its cgroup', async (t) => {
  const inCgroup = (path: string) =>
    isInsideTreeOf(coder, { ...OUTSIDE, cgroup: `1:cpu:/\n0::${path}\n` });
  t.equal(inCgroup('/a.service/gatewarden-aabbccdd-42-7/coder/turn-1'), true);
  t.equal(inCgroup('/gatewarden-aabbccdd-42-7/coder.2/gateway'), true, 'its second place');
  t.equal(inCgroup('/gatewarden-aabbccdd-42-7/coder-2/gateway'), false);
  t.equal(inCgroup('/gatewarden-aabbccdd-42-7/supervisor'), false);
  t.equal(inCgroup('/gatewarden-00000000-42-7/coder/gateway'), false, 'another home');
  t.equal(inCgroup('/coder'), false);
});

t.test('a profile that does not run has no tree by ancestry', async (t) => {
  t.equal(isInsideTreeOf({ ...coder, pid: null }, OUTSIDE), false);
});

t.test('ancestors begin with the process itself and its parent', async (t) => {
  t.strictSame(ancestors(process.pid).slice(0, 2), [process.pid, process.ppid]);
});
