import t from 'tap';
import { bootSystemd, GUEST_COMMAND, GUEST_PACKAGE, withSystemd } from '../support/systemd.js';
import { until } from '../support/until.js';

const HOME = '/var/lib/gw-notify';
const UNIT = 'gw-notify.service';
/** a look starts a Node */
const PATIENCE = { everyMs: 200 };

/** By hand: what the supervisor says must not depend on what the generator writes. */
const LINES = [
  '[Service]',
  'Type=notify',
  'NotifyAccess=main',
  `ExecStart=${GUEST_COMMAND} --home ${HOME} up`,
  'ExecReload=/bin/kill -HUP $MAINPID',
  'WatchdogSec=4',
  'WatchdogSignal=SIGKILL',
  'Restart=always',
  'RestartSec=100ms',
  'KillMode=mixed',
  'TimeoutStopSec=3',
  'StandardOutput=journal',
  'StandardError=journal',
];

t.test('what systemd is told becomes its truth', withSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  const slow = [`${GUEST_PACKAGE}/test/fixtures/ignores-sigterm`];
  const profiles = {
    good: { command: ['/bin/sleep', '4711'] },
    slow: { command: slow, drain_seconds: 6, ready: { started_seconds: 0.1 } },
    bad: { nonsense: true },
  };
  for (const [name, config] of Object.entries(profiles)) {
    systemd.write(`${HOME}/profiles/${name}/config.yaml`, JSON.stringify(config), 0o600);
  }
  await systemd.install(UNIT, LINES);
  await systemd.do('systemctl', 'start', UNIT);
  await systemd.untilShown(UNIT, {
    ActiveState: 'active',
    SubState: 'running',
    StatusText: /^2 of 3 profiles ready; bad parked: config \(/,
    NRestarts: '0',
  });
  const { MainPID: first = '' } = await systemd.show(UNIT, 'MainPID');

  await t.test('lines of the journal have a priority and no time of their own', async (t) => {
    const journal = await systemd.journal(UNIT, '-o', 'json', '-p', 'err');
    const parked = journal
      .split('\n')
      .filter((line) => line.includes('bad: parked'))
      .map((line) => JSON.parse(line) as Record<string, string>);
    t.equal(parked.length, 1);
    t.match(parked[0], { PRIORITY: '3', MESSAGE: /^bad: parked event=parked / });
  });

  await t.test('a supervisor whose loop stands still is restarted by systemd', async (t) => {
    await systemd.do('kill', '-STOP', first);
    await systemd.untilShown(UNIT, { NRestarts: '1', ActiveState: 'active' }, PATIENCE);
    const journal = await systemd.journal(UNIT);
    t.match(journal, 'Watchdog timeout');
    await systemd.untilShown(UNIT, { StatusText: /^2 of 3 profiles ready/ }, PATIENCE);
    const { MainPID } = await systemd.show(UNIT, 'MainPID');
    t.not(MainPID, first);
    t.equal(
      (await systemd.running(/ignores-sigterm/)).length,
      1,
      'of the old tree nothing is left',
    );
  });

  await t.test('a reload is waited for by nobody and leaves it active', async (t) => {
    await systemd.do('systemctl', 'reload', UNIT);
    await systemd.untilShown(UNIT, { ActiveState: 'active', SubState: 'running' });
    t.pass();
  });

  await t.test('a drain longer than TimeoutStopSec is not cut off', async (t) => {
    await systemd.do('systemctl', 'stop', UNIT);
    const shown = await systemd.show(
      UNIT,
      'Result',
      'ActiveState',
      'ExecMainCode',
      'ExecMainStatus',
    );
    t.match(shown, { Result: 'success', ActiveState: 'inactive', ExecMainStatus: '0' });
    await until(
      'nothing of ours is left',
      async () => {
        return (await systemd.running(/gatewarden|sleep 4711|ignores-sigterm/)).length === 0;
      },
      PATIENCE,
    );
  });
});
