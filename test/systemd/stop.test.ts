import t from 'tap';
import { profileFile } from '../support/supervised-home.js';
import { bootSystemd, GUEST_COMMAND, GUEST_PACKAGE, withSystemd } from '../support/systemd.js';
import {
  dropIn,
  isReady,
  makeServiceHome,
  removeDropIn,
  SERVICE_HOME,
  units,
  untilStatusIn,
} from '../support/systemd-service.js';

const UNIT = 'gatewarden.service';
const STRANGERS = 3;
const grows = `${GUEST_PACKAGE}/test/fixtures/grows-tree.py`;

t.test('stopping the generated unit', withSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  await makeServiceHome(systemd, {
    ...profileFile('chat', {
      drain_seconds: 90,
      agent: { driver: 'command', command: ['/bin/sh', '-c', 'sleep 20; echo finished'] },
    }),
    // nothing in common with its root but the cgroup
    ...profileFile('tree', {
      command: [grows, String(STRANGERS), 'scrubbed-double-fork'],
      ready: { log: 'grown' },
    }),
  });
  const installed = await units(systemd, 'install', '--now');
  t.equal(installed.code, 0, installed.stderr);

  await t.test('a drain longer than TimeoutStopSec extends it and ends clean', async (t) => {
    // less than half of the turn: without an extension it would be killed
    await dropIn(systemd, UNIT, ['[Service]', 'TimeoutStopSec=8s']);
    await systemd.do('systemctl', 'restart', UNIT);
    await untilStatusIn(systemd, 'it is ready', isReady('chat'));
    const chat = [GUEST_COMMAND, '--home', SERVICE_HOME, 'chat', 'chat'];
    const answer = systemd.run(chat, { input: 'work' });
    await untilStatusIn(systemd, 'the turn runs', ({ profiles }) =>
      profiles.some(({ name, work }) => name === 'chat' && work.active === 1),
    );
    await systemd.do('systemctl', 'stop', UNIT);
    t.match((await answer).stdout, /finished/, 'the turn was let finish');
    t.match(await systemd.show(UNIT, 'Result', 'ActiveState'), {
      Result: 'success',
      ActiveState: 'inactive',
    });
    t.notMatch(await systemd.journal(UNIT), /timed out/i);
    await removeDropIn(systemd, UNIT);
  });

  await t.test('what outlives the main process is ended by ExecStopPost', async (t) => {
    // systemd itself kills nobody but the main process
    await dropIn(systemd, UNIT, ['[Service]', 'KillMode=process', 'Restart=no']);
    await systemd.do('systemctl', 'start', UNIT);
    await untilStatusIn(systemd, 'it is ready', isReady('tree'));
    // nobody is left who could end anything by himself
    await systemd.do('systemctl', 'kill', '--kill-whom=all', '--signal=STOP', UNIT);
    t.not((await systemd.running(/sleep 1000/)).length, 0, 'there is something to end');
    await systemd.do('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT);
    await systemd.untilShown(UNIT, { ActiveState: 'failed' });
    t.strictSame(await systemd.running(/bin\/gatewarden|grows-tree|sleep 1000/), []);
    t.match(await systemd.journal(UNIT), /ended \d+ processes/);
  });
});
