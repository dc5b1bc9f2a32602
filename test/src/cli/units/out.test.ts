import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { removeHomeDrift } from '../../../../src/cli/units/current.js';
import type { Target } from '../../../../src/cli/units/target.js';
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

t.test('a unit that is written and not enabled differs from what install makes', async (t) => {
  const { env: base, root } = await unitFolder(t);
  const env = { ...base, XDG_CONFIG_HOME: root };
  const folder = join(root, 'systemd', 'user');
  const units = (...args: readonly string[]) => runCli(['units', ...args], { env });
  t.equal((await units('install', 'systemd', '--user', '--out', folder)).code, CLI_EXIT.done);
  const asleep = await units('diff', 'systemd', '--user');
  t.equal(asleep.code, CLI_EXIT.failed);
  t.match(asleep.stdout, /^\S+\.service: not enabled, it does not start at boot\n$/);
  const [name = ''] = readdirSync(folder);
  mkdirSync(join(folder, 'default.target.wants'));
  symlinkSync(join(folder, name), join(folder, 'default.target.wants', name));
  t.equal((await units('diff', 'systemd', '--user')).code, CLI_EXIT.done);
});

t.test('a checker that is not installed is named, and the file read back', async (t) => {
  const { env, units } = await unitFolder(t);
  await units('install', 'launchd');
  const { stdout } = await runCli(['units', 'verify', 'launchd', '--user'], { env });
  if (process.platform === 'darwin') return;
  t.match(stdout, 'plutil is not here; only read back by gatewarden');
  t.notMatch(stdout, 'ENOENT');
});

t.test('root is told which file in the home is whose, and how to give it away', async (t) => {
  const { home, root } = await unitFolder(t);
  const [owner, path] = [{ name: 'bots', uid: 1, gid: 1, home }, join(root, 'service.env')];
  if (process.getuid?.() !== 0) return t.comment('skipped: needs root');
  chmodSync(root, 0o755);
  writeFileSync(path, '', { mode: 0o644 });
  const file = { path, text: '', mode: 0o600 };
  const drift = { units: [], home: [{ kind: 'chmod' as const, file, was: 0o644 }] };
  const written = () => removeHomeDrift({ owner } as Target, drift);
  t.throws(written, { code: 'io-failed', next: `give it to bots: chown bots: ${path}` });
});
