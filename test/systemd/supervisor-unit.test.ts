import { existsSync } from 'node:fs';
import t from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { profileFile } from '../support/supervised-home.js';
import {
  bootSystemd,
  GUEST_COMMAND,
  GUEST_PACKAGE,
  type Systemd,
  withSystemd,
} from '../support/systemd.js';
import {
  dropIn,
  isReady,
  makeServiceHome,
  removeDropIn,
  SERVICE_HOME,
  statusIn,
  units,
  untilStatusIn,
  writeHome,
} from '../support/systemd-service.js';
import { until } from '../support/until.js';

const UNIT = 'gatewarden.service';
const GATE = '/home/bots/go';
const UP = { ActiveState: 'active', SubState: 'running' };

/** Ready when the test says so. */
const slow = profileFile('slow', {
  command: ['/bin/sh', '-c', `until [ -e ${GATE} ]; do sleep 0.1; done; echo up; exec sleep 4711`],
  ready: { log: 'up' },
});

interface Diagnosis {
  readonly checks: readonly {
    readonly check: string;
    readonly findings: readonly { readonly what: string }[];
  }[];
}

/** Names of the doctor's checks that have something to say about a unit. */
async function checksThatFind(systemd: Systemd, unit: string): Promise<string[]> {
  const { stdout } = await systemd.gatewarden(SERVICE_HOME, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as Diagnosis;
  return checks.flatMap(({ check, findings }) =>
    findings.filter(({ what }) => what.includes(unit)).map(() => check),
  );
}

t.test('the generated unit of the supervisor', withSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  await makeServiceHome(systemd, { ...slow, ...profileFile('bot', {}) });
  const mainPid = async () => (await systemd.show(UNIT, 'MainPID'))['MainPID'];

  await t.test('is installed and started; it is up only when every profile is ready', async (t) => {
    const installing = units(systemd, 'install', '--now');
    await untilStatusIn(systemd, 'one is ready, the other starts', (report) => {
      const slowState = report.profiles.find(({ name }) => name === 'slow')?.state;
      return isReady('bot')(report) && slowState === 'starting';
    });
    t.match(await systemd.show(UNIT, 'ActiveState'), { ActiveState: 'activating' });
    await systemd.do('touch', GATE);
    const { code, stderr } = await installing;
    t.equal(code, 0, stderr);
    t.match(await systemd.show(UNIT, 'ActiveState', 'SubState', 'UnitFileState'), {
      ...UP,
      UnitFileState: 'enabled',
    });
    const status = await statusIn(systemd);
    t.match(status?.supervisor, { manager: 'systemd', containment: 'cgroup2' });
    t.equal(String(status?.supervisor.pid), await mainPid(), 'the launcher has become it');
  });

  await t.test('is back after kill -9', async (t) => {
    const before = await mainPid();
    await systemd.do('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT);
    await systemd.untilShown(UNIT, { ...UP, NRestarts: '1' });
    t.not(await mainPid(), before);
    await untilStatusIn(systemd, 'its profiles are ready', isReady('slow'));
  });

  await t.test('takes a new profile on reload, without a new process', async (t) => {
    const before = await mainPid();
    await writeHome(systemd, profileFile('extra', {}));
    await systemd.do('systemctl', 'reload', UNIT);
    await untilStatusIn(systemd, 'the new profile is ready', isReady('extra'));
    t.equal(await mainPid(), before);
  });

  await t.test('is found again by sudo, which keeps neither home nor account', async (t) => {
    const { code, stdout, stderr } = await systemd.run(
      [GUEST_COMMAND, 'units', 'install', 'systemd'],
      { env: { SUDO_USER: 'daemon' } },
    );
    t.equal(code, 0, stderr);
    t.match(stdout, 'everything is written already, as it should be');
  });

  await t.test('says in the journal that it is stale, for it may not write itself', async (t) => {
    await writeHome(systemd, profileFile('bot', { drain_seconds: 300 }));
    await systemd.do('systemctl', 'restart', UNIT);
    await until('the journal says so', async () =>
      /cure it with: sudo gatewarden .*units install systemd --system/.test(
        await systemd.journal(UNIT),
      ),
    );
    t.strictSame(await checksThatFind(systemd, UNIT), ['units'], 'the doctor tells it once');
    const { code, stdout } = await units(systemd, 'install');
    t.equal(code, 0);
    t.match(stdout, `wrote /etc/systemd/system/${UNIT}`);
    t.equal((await units(systemd, 'diff')).code, 0);
    t.strictSame(await checksThatFind(systemd, UNIT), []);
  });

  await t.test('has a doctor who sees a drop-in that cuts its stop short', async (t) => {
    await dropIn(systemd, UNIT, ['[Service]', 'TimeoutStopSec=8s']);
    t.strictSame(await checksThatFind(systemd, UNIT), ['budgets']);
    await removeDropIn(systemd, UNIT);
    t.strictSame(await checksThatFind(systemd, UNIT), []);
  });

  await t.test('is started afresh when its event loop is blocked', async (t) => {
    await dropIn(systemd, UNIT, ['[Service]', 'WatchdogSec=6', 'RestartSec=100ms']);
    await systemd.do('systemctl', 'restart', UNIT);
    const before = await mainPid();
    const blocker = `${GUEST_PACKAGE}/test/fixtures/blocks-loop-of.mjs`;
    t.match(await systemd.do(process.execPath, blocker, String(before)), /blocked/);
    await systemd.untilShown(UNIT, { ...UP, NRestarts: '1' });
    t.not(await mainPid(), before);
    t.match(await systemd.journal(UNIT), /Watchdog timeout/);
    await untilStatusIn(systemd, 'its profiles are ready', isReady('slow'));
    await removeDropIn(systemd, UNIT);
  });

  await t.test('fails once with 78 when its own configuration is bad', async (t) => {
    await writeHome(systemd, { 'config.yaml': 'no_such_key: 1\n' });
    t.not((await systemd.systemctl('restart', UNIT)).code, 0);
    await systemd.untilShown(UNIT, { ActiveState: 'failed' });
    t.match(await systemd.show(UNIT, 'Result', 'ExecMainStatus', 'NRestarts'), {
      Result: 'exit-code',
      ExecMainStatus: String(EXIT.config),
      NRestarts: '0',
    });
    t.match((await systemd.systemctl('status', UNIT)).stdout, /status=78\/CONFIG/);
    t.match(await systemd.journal(UNIT), /no_such_key/, 'the journal says why');
    await writeHome(systemd, { 'config.yaml': '' });
    await systemd.do('systemctl', 'start', UNIT);
    await untilStatusIn(systemd, 'mended, it runs', isReady('slow'));
  });

  await t.test('is uninstalled without a trace; the home stays', async (t) => {
    const { code, stderr } = await units(systemd, 'uninstall');
    t.equal(code, 0, stderr);
    const { LoadState } = await systemd.show(UNIT, 'LoadState');
    t.equal(LoadState, 'not-found');
    const found = await systemd.do('find', '/etc/systemd', '-name', 'gatewarden*');
    t.equal(found, '', 'no unit, no link');
    t.notOk(existsSync(systemd.path(`/sys/fs/cgroup/system.slice/${UNIT}`)), 'no cgroup');
    t.strictSame(await systemd.running(/bin\/gatewarden|sleep 4711/), [], 'no process');
    t.ok(
      existsSync(systemd.path(`${SERVICE_HOME}/profiles/slow/config.yaml`)),
      'the home is there',
    );
  });
});
