import t from 'tap';
import { managingUnitOf, unitIn } from '../../../src/ownership/managing-unit.js';

t.test('the unit that runs a process is read from its cgroup, if it is one of ours', async (t) => {
  const cgroup = (path: string) => `12:pids:/other\n0::${path}\n`;
  t.equal(
    unitIn(cgroup('/system.slice/gatewarden-gateway-coder-1a2b3c4d.service/gateway')),
    'gatewarden-gateway-coder-1a2b3c4d.service',
  );
  t.equal(
    unitIn(cgroup('/user.slice/user@7.service/app.slice/gatewarden.service')),
    'gatewarden.service',
  );
  t.equal(unitIn(cgroup('/user.slice/session-1.scope')), undefined);
  t.equal(unitIn(cgroup('/system.slice/cron.service')), undefined, 'somebody else');
  t.equal(unitIn(''), undefined, 'no such process, or no such hierarchy');
});

t.test('the unit that runs us is no other owner', async (t) => {
  t.equal(managingUnitOf(process.pid), undefined);
});
