import t from 'tap';
import { managerOf } from '../../../src/manager/index.js';

const PID = 4711;
const who = (env: Record<string, string>, isContainer = false) =>
  managerOf({ env, pid: PID, isContainer });

t.test('systemd is recognised by what it gives to the process that it started', async (t) => {
  t.equal(who({ INVOCATION_ID: 'a', SYSTEMD_EXEC_PID: '4711' }), 'systemd');
  t.equal(who({ NOTIFY_SOCKET: '/run/systemd/notify' }), 'systemd');
  t.equal(who({ INVOCATION_ID: 'a' }), 'systemd', 'before 248 there was no SYSTEMD_EXEC_PID');
});

t.test(
  "a shell below somebody else's unit inherits its marks and is still a terminal",
  async (t) => {
    t.equal(who({ INVOCATION_ID: 'a', SYSTEMD_EXEC_PID: '12' }), 'terminal');
  },
);

t.test('s6, launchd and a bare container are told apart', async (t) => {
  t.equal(who({ GATEWARDEN_S6_SUPERVISED_CHILD: '1' }, true), 's6');
  t.equal(who({ GATEWARDEN_NOTIFY_FD: '3' }), 's6');
  t.equal(who({ XPC_SERVICE_NAME: 'dev.gatewarden.gateway' }), 'launchd');
  t.equal(who({ XPC_SERVICE_NAME: '0' }), 'terminal', 'what a terminal of macOS has');
  t.equal(who({}, true), 'container');
  t.equal(who({}), 'terminal');
});
