import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { profileFile } from '../support/supervised-home.js';
import { bootSystemd, type Systemd, withSystemd } from '../support/systemd.js';
import {
  dropIn,
  makeServiceHome,
  SERVICE_HOME,
  units,
  writeHome,
} from '../support/systemd-service.js';

const UNIT = 'gatewarden-gateway-coder.service';
const SERVED = 'gatewarden-gateway-served.service';
/** its gateway serves the profile above */
const DEFAULT = 'gatewarden-gateway.service';
const UP = { ActiveState: 'active', SubState: 'running' };
const MARK = '/run/on-failure';
const ENDS = '/run/ends';
/** as long as the host of the incident took for a handful of refusals */
const INCIDENT_MS = 30_000;

async function checkFailedOnce(t: Test, systemd: Systemd, unit: string): Promise<void> {
  await systemd.untilShown(unit, { ActiveState: 'failed' });
  const shown = await systemd.show(unit, 'Result', 'ExecMainStatus', 'NRestarts');
  const wanted = {
    Result: 'exit-code',
    ExecMainStatus: String(EXIT.config),
    NRestarts: '0',
  };
  if (!t.match(shown, wanted)) t.comment(await systemd.journal(unit));
  t.match((await systemd.systemctl('status', unit)).stdout, /status=78\/CONFIG/);
}

t.test('the generated unit of one gateway', withSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  await makeServiceHome(systemd, { ...profileFile('coder', {}), ...profileFile('served', {}) });
  const install = async (t: Test, name: string, ...args: string[]) => {
    const { code, stderr } = await units(systemd, 'install', '--profile', name, ...args);
    t.equal(code, 0, stderr);
  };
  const mainPid = async () => (await systemd.show(UNIT, 'MainPID'))['MainPID'];
  await install(t, 'served');
  await install(t, 'coder', '--now');

  await t.test('a planned restart (75) is no failure for anybody', async (t) => {
    await systemd.install('on-failure.service', ['[Service]', `ExecStart=touch ${MARK}`]);
    const note = `/bin/sh -c 'echo "$$SERVICE_RESULT $$EXIT_STATUS" >>${ENDS}'`;
    await dropIn(systemd, UNIT, [
      '[Unit]',
      'OnFailure=on-failure.service',
      '[Service]',
      `ExecStopPost=+${note}`,
    ]);
    await systemd.do('systemctl', 'restart', UNIT);
    const before = await mainPid();
    await systemd.do('systemctl', 'kill', '--kill-whom=main', '--signal=USR2', UNIT);
    await systemd.untilShown(UNIT, { ...UP, NRestarts: '1' });
    t.not(await mainPid(), before, 'it is started again');
    t.match(systemd.read(ENDS), `success ${EXIT.planned}\n`, 'the end is a success');
    t.notMatch(await systemd.journal(UNIT), /Failed with result/);
    t.notOk(existsSync(systemd.path(MARK)), 'nobody was told of a failure');
  });

  await t.test('is back after kill -9', async (t) => {
    const before = await mainPid();
    await systemd.do('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT);
    await systemd.untilShown(UNIT, { ...UP, NRestarts: '2' });
    t.not(await mainPid(), before);
  });

  await t.test('the verb restarts it through systemd and sees a new process ready', async (t) => {
    const before = await mainPid();
    const { code, stderr } = await systemd.gatewarden(SERVICE_HOME, 'restart', 'coder');
    t.equal(code, 0, stderr);
    t.match(await systemd.show(UNIT, 'ActiveState', 'SubState'), UP);
    t.not(await mainPid(), before);
  });

  await t.test('a profile that is refused (78) fails once and is not tried again', async (t) => {
    const agent = { driver: 'openai', model: 'm', api_key: '${NOT_THERE}' };
    await writeHome(systemd, profileFile('coder', { agent }));
    t.not((await systemd.systemctl('restart', UNIT)).code, 0);
    await checkFailedOnce(t, systemd, UNIT);
    t.ok(existsSync(systemd.path(MARK)), 'and that is told');
  });

  await t.test('a multiplexed profile is refused exactly once in 30 seconds', async (t) => {
    const gateway = { multiplex_profiles: true, multiplex_profile_allowlist: ['served'] };
    await writeHome(systemd, {
      'config.yaml': JSON.stringify({ gateway }),
      ...profileFile('default', {}),
    });
    await install(t, 'default', '--now');
    await systemd.untilShown(DEFAULT, UP);
    const owner = await systemd.show(DEFAULT, 'MainPID', 'NRestarts');
    const since = `@${Math.floor(Date.now() / 1000)}`;
    await systemd.systemctl('start', SERVED);
    await sleep(INCIDENT_MS);
    await checkFailedOnce(t, systemd, SERVED);
    const journal = await systemd.journal(SERVED, '--since', since);
    t.equal(journal.match(/gatewarden: error: /g)?.length, 1);
    t.equal(journal.match(/status=78/g)?.length, 1);
    t.match(journal, /served/, 'it says who serves it');
    t.strictSame(
      await systemd.show(DEFAULT, 'MainPID', 'NRestarts'),
      owner,
      'nothing happens to it',
    );
  });
});
