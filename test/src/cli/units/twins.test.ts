import { join } from 'node:path';
import t from 'tap';
import { findOwnUnits } from '../../../../src/cli/units/own-units.js';
import { describeTwins, findTwins } from '../../../../src/cli/units/twins.js';
import { startControlServer, writeHint } from '../../../support/control-server.js';
import { runCli, type Scope, scratchHome } from '../../../support/run-cli.js';
import { aProfile, aReport } from '../../../support/status-facts.js';

/** A home whose supervisor answers, and where the managers of this test look for units. */
async function hostOf(t: Scope) {
  const { env: base, home, root } = scratchHome(t);
  const slots = join(root, 'service');
  const config = join(root, 'config');
  const env = { ...base, XDG_CONFIG_HOME: config, S6_PROFILE_GATEWAY_SCANDIR: slots };
  await runCli(['init'], { env });
  const server = await startControlServer(join(root, 'c.sock'), () => ({
    status: 200,
    body: aReport(aProfile()),
  }));
  t.teardown(() => server.close());
  writeHint(home, server.socketPath);
  const user = join(config, 'systemd', 'user');
  const install = (...args: readonly string[]) => runCli(['units', 'install', ...args], { env });
  return { env, home, install, slots, user };
}

t.test('two units that own one role are named by status and doctor, one is not', async (t) => {
  const { env, home, install, slots, user } = await hostOf(t);
  t.equal((await install('systemd', '--user', '--out', user)).code, 0);
  const before = await findOwnUnits(home, env);
  t.equal(before.length, 1);
  t.strictSame(findTwins(before), []);
  t.notMatch((await runCli(['status'], { env })).stdout, /both run/);

  t.equal((await install('s6', '--out', slots)).code, 0);
  const [pair, ...more] = findTwins(await findOwnUnits(home, env));
  t.equal(more.length, 0);
  if (pair === undefined) throw new Error('no twins');
  t.match(describeTwins(pair), /\(systemd, user\) and .+\(s6, system\) both run the supervisor of/);
  const { stdout } = await runCli(['status'], { env });
  t.match(stdout, describeTwins(pair), 'while the supervisor answers');
  t.match(stdout, /remove one: gatewarden .*units uninstall s6/);
  t.match((await runCli(['doctor', '--json'], { env })).stdout, /both run the supervisor/);
});
