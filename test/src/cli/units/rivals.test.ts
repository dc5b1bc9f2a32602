import { chownSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { lastingHome, NO_LASTING_PLACE } from '../../../support/lasting-home.js';
import { runCli } from '../../../support/run-cli.js';

t.test('both kinds for one home are refused, wherever the other one stands', async (t) => {
  const lasting = await lastingHome(t);
  if (lasting === undefined) return t.comment(`skipped: ${NO_LASTING_PLACE}`);
  const { env, home, install, slots, userUnits } = lasting;
  t.equal((await install('s6', '--out', slots)).code, 0);
  const gateway = await install('systemd', '--user', '-p', 'default');
  t.equal(gateway.code, CLI_EXIT.refused);
  t.match(gateway.stderr, `${join(slots, 'gatewarden')} is installed already`);
  t.match(gateway.stderr, `gatewarden --home ${home} units uninstall s6 --system\n`);
  t.notOk(existsSync(userUnits));

  t.equal((await install('systemd', '--user', '-p', 'default', '--out', userUnits)).code, 0);
  const { stdout } = await runCli(['status'], { env });
  t.match(stdout, /\(systemd, user\) both run profile default|\(s6, system\) both run profile/);
  const supervisor = await install('launchd', '--user');
  t.equal(supervisor.code, CLI_EXIT.refused);
  t.match(supervisor.stderr, 'units uninstall systemd --user --profile default\n');
});

t.test('what is elsewhere is told with the folder that leads to it', async (t) => {
  const lasting = await lastingHome(t);
  if (lasting === undefined) return t.comment(`skipped: ${NO_LASTING_PLACE}`);
  const { install, root } = lasting;
  const out = join(root, 'out');
  t.equal((await install('systemd', '--user', '--out', out)).code, 0);
  const { code, stderr } = await install('systemd', '--user', '--out', out, '-p', 'default');
  t.equal(code, CLI_EXIT.refused);
  t.match(stderr, `units uninstall systemd --user --out ${out}\n`);
});

t.test('a service of one account on the home of another is refused', async (t) => {
  const lasting = await lastingHome(t);
  if (lasting === undefined) return t.comment(`skipped: ${NO_LASTING_PLACE}`);
  if (process.getuid?.() !== 0) return t.comment('skipped: needs root');
  const { home, install, userUnits } = lasting;
  chownSync(home, 1, 1);
  const { code, stderr } = await install('systemd', '--user');
  t.equal(code, CLI_EXIT.refused);
  t.match(stderr, '(home-of-another-account)');
  t.match(stderr, `gatewarden --home ${home} units install systemd --system --run-as `);
  t.notOk(existsSync(userUnits));
});
