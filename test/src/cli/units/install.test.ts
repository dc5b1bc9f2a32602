import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isServed } from '../../../../src/cli/units/guards.js';
import { homeHash } from '../../../../src/config/paths.js';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { runCli, type Scope, scratchHome } from '../../../support/run-cli.js';

t.jobs = 2;

/** A home in a scratch root; units go to a folder beside it, and no manager is told. */
async function initialized(t: Scope) {
  const { env, home, root } = scratchHome(t);
  await runCli(['init'], { env });
  const out = join(root, 'units');
  const units = (...args: readonly string[]) =>
    runCli(['units', ...args, '--user', '--out', out], { env });
  const configure = (file: string, config: unknown) => {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), JSON.stringify(config), { mode: 0o600 });
  };
  return { env, home, root, out, units, configure, unit: `gatewarden-${homeHash(home)}.service` };
}

t.test(
  'install writes once; what is current is not written again; diff sees a change',
  async (t) => {
    const { home, out, units, unit } = await initialized(t);
    const first = await units('install', 'systemd');
    t.equal(first.code, CLI_EXIT.done, first.stderr);
    t.strictSame(readdirSync(out), [unit]);
    t.equal(statSync(join(home, 'service.env')).mode & 0o777, 0o600);
    t.equal(statSync(join(home, 'bin', 'gatewarden')).mode & 0o777, 0o755);
    const second = await units('install', 'systemd');
    t.equal(second.stdout, 'everything is written already, as it should be\n');
    t.equal((await units('diff', 'systemd')).code, CLI_EXIT.done);
    const path = join(out, unit);
    writeFileSync(path, readFileSync(path, 'utf8').replace('RestartSec=5', 'RestartSec=9'));
    const drift = await units('diff', 'systemd');
    t.equal(drift.code, CLI_EXIT.failed);
    t.match(drift.stdout, '  -RestartSec=9\n  +RestartSec=5\n');
    const repaired = await units('install', 'systemd');
    t.equal(repaired.stdout, `wrote ${path}\n`);
  },
);

t.test('a longer drain makes the installed unit stale', async (t) => {
  const { configure, units } = await initialized(t);
  await units('install', 'systemd');
  configure('profiles/default/config.yaml', { drain_seconds: 300 });
  const { code, stdout } = await units('diff', 'systemd');
  t.equal(code, CLI_EXIT.failed);
  t.match(stdout, /\+TimeoutStopSec=\d{3}s/);
});

t.test('no secret of the home stands in a unit, a slot or a job', async (t) => {
  const { configure, env, home, units } = await initialized(t);
  const secret = 'sk-0123456789abcdef';
  writeFileSync(join(home, 'profiles/default/.env'), `KEY=${secret}\n`, { mode: 0o600 });
  configure('profiles/default/config.yaml', {
    agent: { driver: 'openai', model: 'm', api_key: '${KEY}' },
  });
  for (const manager of ['systemd', 's6', 'launchd']) {
    const { stdout, code, stderr } = await runCli(
      ['units', 'print', manager, '--user', '-p', 'default'],
      {
        env: { ...env, KEY: secret, OPENAI_API_KEY: secret },
      },
    );
    t.equal(code, CLI_EXIT.done, stderr);
    t.notMatch(stdout, secret);
  }
  t.equal((await units('print', 'systemd', '--all-profiles')).code, CLI_EXIT.done);
});

t.test('a configuration that could never start is refused and nothing is written', async (t) => {
  const { configure, home, out, units } = await initialized(t);
  configure('config.yaml', { supervisor: { nonsense: 1 } });
  const host = await units('install', 'systemd');
  t.equal(host.code, CLI_EXIT.refused);
  t.match(host.stderr, '(config-invalid)');
  configure('config.yaml', {});
  configure('profiles/bad/config.yaml', { drain_seconds: 'soon' });
  const profile = await units('install', 'systemd', '-p', 'bad');
  t.equal(profile.code, CLI_EXIT.refused);
  configure('profiles/other/config.yaml', { command: ['/bin/true'] });
  const command = await units('install', 'systemd', '-p', 'other');
  t.equal(command.code, CLI_EXIT.refused);
  t.match(command.stderr, '(runs-as-command)');
  t.equal((await units('install', 'systemd', '-p', 'nobody')).code, CLI_EXIT.usage);
  t.notOk(existsSync(out));
  t.notOk(existsSync(join(home, 'bin')));
});

t.test('a profile that the multiplexer serves gets no unit: exactly 78, no file', async (t) => {
  const { configure, out, units } = await initialized(t);
  configure('profiles/coder/config.yaml', {});
  configure('config.yaml', { gateway: { multiplex_profiles: true } });
  const { code, stderr } = await units('install', 'systemd', '-p', 'coder');
  t.equal(code, 78);
  t.match(stderr, /gatewarden: error: /);
  t.notOk(existsSync(out));
});

t.test('the default gateway serves everybody, or those on its list, or nobody', async (t) => {
  const all = { multiplexProfiles: true, multiplexAllowlist: undefined };
  t.equal(isServed('coder', all), true);
  t.equal(isServed('default', all), false, 'it is the one that serves');
  t.equal(isServed('coder', { ...all, multiplexAllowlist: ['coder'] }), true);
  t.equal(isServed('coder', { ...all, multiplexAllowlist: [] }), false);
  t.equal(isServed('coder', { ...all, multiplexProfiles: false }), false);
});

t.test('a supervisor and a gateway of the same home are not installed together', async (t) => {
  const { units } = await initialized(t);
  await units('install', 'systemd');
  const gateway = await units('install', 'systemd', '-p', 'default');
  t.equal(gateway.code, CLI_EXIT.refused);
  t.match(gateway.stderr, '(unit-conflict)');
  t.equal((await units('uninstall', 'systemd')).code, CLI_EXIT.done);
  t.equal((await units('install', 'systemd', '-p', 'default')).code, CLI_EXIT.done);
  t.equal((await units('install', 'systemd')).code, CLI_EXIT.refused);
});

t.test(
  'uninstall touches what is of its own home, also when the configuration is broken',
  async (t) => {
    const { configure, out, units, unit } = await initialized(t);
    await units('install', 'systemd');
    const path = join(out, unit);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/GATEWARDEN_HOME=.*/, 'GATEWARDEN_HOME=/srv/other'));
    const foreign = await units('uninstall', 'systemd');
    t.equal(foreign.code, CLI_EXIT.refused);
    t.match(foreign.stderr, 'for /srv/other (unit-of-another-home)');
    t.ok(existsSync(path));
    t.equal((await units('install', 'systemd')).code, CLI_EXIT.refused);
    writeFileSync(path, text);
    configure('config.yaml', { nonsense: true });
    const own = await units('uninstall', 'systemd');
    t.equal(own.stdout, `removed ${path}\n`);
    t.match((await units('uninstall', 'systemd')).stdout, /^nothing of .* is installed/);
  },
);

t.test('a temporary home gets no unit of a manager', async (t) => {
  const { env } = await initialized(t);
  const { code, stderr } = await runCli(['units', 'install', 'systemd', '--user'], { env });
  t.equal(code, CLI_EXIT.refused);
  t.match(stderr, '(home-temporary)');
});

t.test('a slot is written whole, and read back as whose it is', async (t) => {
  const { out, units } = await initialized(t);
  const { stdout } = await units('install', 's6', '-p', 'default');
  t.match(stdout, `wrote ${out}/gateway-default/run\n`);
  t.ok(statSync(join(out, 'gateway-default', 'finish')).mode & 0o100);
  t.strictSame(readdirSync(out), ['gateway-default'], 'no staging is left');
  t.equal((await units('diff', 's6', '-p', 'default')).code, CLI_EXIT.done);
  t.equal((await units('uninstall', 's6', '--all-profiles')).code, CLI_EXIT.done);
  t.strictSame(readdirSync(out), []);
});

t.test('what is printed to a folder can be started: its launcher is in the home', async (t) => {
  const { home, out, units } = await initialized(t);
  const launcher = join(home, 'bin', 'gatewarden');
  const { code, stdout, stderr } = await units('print', 's6', '-p', 'default');
  t.equal(code, CLI_EXIT.done, stderr);
  t.match(stdout, `wrote ${launcher}\n`);
  t.match(readFileSync(join(out, 'gateway-default', 'run'), 'utf8'), `/bin/sh ${launcher} `);
  t.equal(statSync(launcher).mode & 0o777, 0o755);
  t.equal(statSync(join(home, 'service.env')).mode & 0o777, 0o600);
  const again = await units('print', 's6', '-p', 'default');
  t.notMatch(again.stdout, launcher, 'what is current is not written again');
});

t.test('options that contradict one another are refused', async (t) => {
  const { env, units } = await initialized(t);
  const both = await runCli(['units', 'print', 'systemd', '--user', '--system'], { env });
  t.equal(both.code, CLI_EXIT.usage);
  t.equal((await units('print', 'systemd', '--run-as', 'nobody')).code, CLI_EXIT.usage);
  t.equal((await units('print', 'systemd', '-p', 'a', '--all-profiles')).code, CLI_EXIT.usage);
  t.equal((await units('print', 'upstart')).code, CLI_EXIT.usage);
});
