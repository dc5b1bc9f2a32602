import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { runCli } from '../../../support/run-cli.js';
import { unitFolder } from '../../../support/unit-folder.js';

t.test('a folder that there cannot be is told as one, without a stack', async (t) => {
  const { env, root } = await unitFolder(t);
  symlinkSync('/nonexistent/target', join(root, 'dangling'));
  symlinkSync(join(root, 'circle'), join(root, 'circle'));
  writeFileSync(join(root, 'file'), '');
  for (const out of ['dangling', 'dangling/user', '/proc/gw/user', 'file/user', 'circle/user']) {
    const path = out.startsWith('/') ? out : join(root, out);
    for (const verb of ['install', 'print']) {
      const ran = await runCli(['units', verb, 'systemd', '--user', '--out', path], { env });
      t.ok([CLI_EXIT.failed, CLI_EXIT.refused].includes(ran.code as 1 | 78), `${verb} ${path}`);
      t.match(ran.stderr, /^gatewarden: error: /m);
      t.match(ran.stderr, /\n {2}next: /);
      t.match(ran.stderr, path.split('/user')[0] ?? '', 'it names the place');
    }
  }
  const nowhere = await runCli(['units', 'print', 'systemd', '--user', '--out', ''], { env });
  t.equal(nowhere.code, CLI_EXIT.usage);
  t.match(nowhere.stderr, 'expected a directory after --out');
});

t.test('a directory within a slot is no file of ours, and no bug', async (t) => {
  const { out, units } = await unitFolder(t);
  t.equal((await units('install', 's6')).code, CLI_EXIT.done);
  rmSync(join(out, 'gatewarden', 'timeout-kill'));
  mkdirSync(join(out, 'gatewarden', 'timeout-kill'));
  const { code, stderr } = await units('install', 's6');
  t.equal(code, CLI_EXIT.failed);
  t.match(stderr, 'EISDIR');
});

t.test('no unit is shown, compared or checked for a profile that there is not', async (t) => {
  const { configure, units } = await unitFolder(t);
  for (const verb of ['print', 'diff']) {
    const { code, stderr } = await units(verb, 'systemd', '-p', 'nosuch');
    t.equal(code, CLI_EXIT.usage, verb);
    t.match(stderr, '(unknown-profile)');
  }
  t.equal((await units('install', 'systemd', '-p', 'default')).code, CLI_EXIT.done);
  configure('profiles/default/config.yaml', { drain_seconds: 600, no_such_key: 1 });
  const { code, stderr } = await units('diff', 'systemd', '-p', 'default');
  t.equal(code, CLI_EXIT.refused, 'what it should be cannot be told');
  t.match(stderr, '(config-invalid)');
});
