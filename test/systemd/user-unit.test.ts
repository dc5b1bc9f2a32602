import { existsSync } from 'node:fs';
import t from 'tap';
import { CLI_EXIT } from '../../src/core/exit-codes.js';
import type { StatusReport } from '../../src/core/status.js';
import { profileFile } from '../support/supervised-home.js';
import { bootSystemd, withUserSystemd } from '../support/systemd.js';
import {
  isReady,
  makeServiceHome,
  SERVICE_HOME,
  units,
  writeHome,
} from '../support/systemd-service.js';
import { UserSystemd } from '../support/systemd-user.js';
import { until } from '../support/until.js';

const ACCOUNT = 'bots';
const UNIT = 'gatewarden.service';
const UP = { ActiveState: 'active', SubState: 'running' };
const STRANGER = /sleep 4711/;
/** far above the usual drain: the time for a stop that the unit grants has to change */
const LONGER_SECONDS = 300;
/** a look starts a Node */
const PATIENCE = { everyMs: 200 };

t.test('a service of an account’s own', withUserSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  // who may linger without being asked depends on the host's polkit: here nobody does
  await systemd.do('systemctl', 'mask', 'polkit.service');
  const command = ['/bin/sh', '-c', 'setsid sleep 4711 & echo up; exec sleep 4711'];
  await makeServiceHome(systemd, {
    ...profileFile('bot', {}),
    ...profileFile('tree', { command, ready: { log: 'up' }, drain_seconds: 1 }),
  });
  const own = await UserSystemd.of(systemd, ACCOUNT);
  const mainPid = async () => (await own.show(UNIT, 'MainPID'))['MainPID'];
  const untilReady = async () => {
    let last: StatusReport | undefined;
    await until(
      'every profile is ready',
      async () => {
        const { stdout } = await own.gatewardenOf('status', '--json');
        last = stdout.startsWith('{') ? (JSON.parse(stdout) as StatusReport) : undefined;
        return last !== undefined && isReady('bot')(last) && isReady('tree')(last);
      },
      PATIENCE,
    );
    return last;
  };

  await t.test('is refused with the remedy while the account has no manager', async (t) => {
    const { code, stderr } = await own.gatewardenOf('units', 'install', 'systemd', '--user');
    t.equal(code, CLI_EXIT.failed);
    t.match(stderr, `there is no /run/user/${own.uid}`);
    t.match(stderr, `next: sudo loginctl enable-linger ${ACCOUNT}, then export XDG_RUNTIME_DIR`);
    t.notOk(existsSync(systemd.path(`${own.home}/.config/systemd/user/${UNIT}`)), 'no unit');
  });

  await t.test('is installed and started once that is done, and is ready', async (t) => {
    await systemd.do('loginctl', 'enable-linger', ACCOUNT);
    // without the runtime directory in the environment, as after `su`
    const installed = await own.gatewardenOf('units', 'install', 'systemd', '--user', '--now');
    t.equal(installed.code, 0, installed.stderr);
    t.match(await own.show(UNIT, 'ActiveState', 'SubState', 'UnitFileState'), {
      ...UP,
      UnitFileState: 'enabled',
    });
    const status = await untilReady();
    t.match(status?.supervisor, { manager: 'systemd' });
    t.equal(String(status?.supervisor.pid), await mainPid(), 'the launcher has become it');
    t.match(await systemd.do('stat', '-c', '%U', `/proc/${await mainPid()}`), ACCOUNT);
  });

  await t.test('has the strongest containment: its manager delegates to it', async (t) => {
    const status = await untilReady();
    t.match(status?.supervisor, { containment: 'cgroup2', weakerBecause: null });
    const pid = status?.profiles.find(({ name }) => name === 'tree')?.pid;
    t.match(systemd.read(`/proc/${pid}/cgroup`), /\/gatewarden\.service\/gatewarden-[^/]+\/tree\//);
  });

  await t.test('is back after kill -9', async (t) => {
    const before = await mainPid();
    await own.systemctl('kill', '--kill-whom=main', '--signal=KILL', UNIT);
    await own.untilShown(UNIT, { ...UP, NRestarts: '1' });
    t.not(await mainPid(), before);
    await untilReady();
  });

  await t.test('is written again at a start of its own that finds it stale', async (t) => {
    await writeHome(systemd, profileFile('bot', { drain_seconds: LONGER_SECONDS }));
    t.not((await own.gatewardenOf('units', 'diff', 'systemd', '--user')).code, 0, 'it is stale');
    await own.systemctl('restart', UNIT);
    await until('it says so', async () => /was stale and is written/.test(await own.journal(UNIT)));
    const { code, stdout } = await own.gatewardenOf('units', 'diff', 'systemd', '--user');
    t.equal(code, 0, stdout);
    await own.untilShown(UNIT, { ...UP, NeedDaemonReload: 'no' });
    await untilReady();
  });

  await t.test('stops, and nothing of its trees is left', async (t) => {
    t.not((await systemd.running(STRANGER)).length, 0, 'there is something to end');
    t.equal((await own.systemctl('stop', UNIT)).code, 0);
    t.match(await own.show(UNIT, 'ActiveState', 'Result'), {
      ActiveState: 'inactive',
      Result: 'success',
    });
    t.strictSame(await systemd.running(STRANGER), []);
  });

  await t.test('starts by the verb, which writes a stale unit again before', async (t) => {
    await writeHome(systemd, profileFile('bot', {}));
    const { code, stderr } = await own.gatewardenOf('start');
    t.equal(code, 0, stderr);
    t.match(stderr, /was stale and is written again/);
    t.match(await own.show(UNIT, 'ActiveState'), { ActiveState: 'active' });
    t.equal((await own.gatewardenOf('units', 'diff', 'systemd', '--user')).code, 0);
  });

  await t.test('is told of when the same is installed for the host as well', async (t) => {
    const { code, stderr } = await units(systemd, 'install');
    t.equal(code, 0, stderr);
    t.match(stderr, 'two services of one home fight');
    t.match(stderr, 'gatewarden units uninstall systemd --user');
    t.equal((await units(systemd, 'uninstall')).code, 0);
    t.match(await own.show(UNIT, 'ActiveState'), { ActiveState: 'active' }, 'it is let alone');
  });

  await t.test('is uninstalled without a trace; the home stays', async (t) => {
    const { code, stderr } = await own.gatewardenOf('units', 'uninstall', 'systemd', '--user');
    t.equal(code, 0, stderr);
    t.match(await own.show(UNIT, 'LoadState'), { LoadState: 'not-found' });
    const found = await systemd.do('find', `${own.home}/.config`, '-name', 'gatewarden*');
    t.equal(found, '', 'no unit, no link');
    t.strictSame(await systemd.running(/bin\/gatewarden|sleep 4711/), [], 'no process');
    t.ok(existsSync(systemd.path(`${SERVICE_HOME}/profiles/bot/config.yaml`)), 'the home is there');
  });
});
