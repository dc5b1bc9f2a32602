import t from 'tap';
import { isSameProcess } from '../../../src/core/process-identity.js';

const ONE = { pid: 4711, startTicks: 12_345, bootId: 'a' };

t.test('a process is the same only with pid, start time and boot', async (t) => {
  t.ok(isSameProcess(ONE, { ...ONE }));
  t.notOk(isSameProcess(ONE, { ...ONE, pid: 4712 }));
  t.notOk(isSameProcess(ONE, { ...ONE, startTicks: 12_346 }), 'the pid was used again');
  t.notOk(isSameProcess(ONE, { ...ONE, bootId: 'b' }), 'the machine was started again');
});

t.test('what is unknown is never taken for proof', async (t) => {
  const unknown = { ...ONE, startTicks: undefined };
  t.notOk(isSameProcess(unknown, unknown));
  t.notOk(isSameProcess(ONE, unknown));
});
