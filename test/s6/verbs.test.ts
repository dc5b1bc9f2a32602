import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CLI_EXIT, STATUS_EXIT } from '../../src/core/exit-codes.js';
import { packageFile } from '../../src/core/package-root.js';
import { canRunThisClone } from '../support/accounts.js';
import { withReal } from '../support/real-part.js';
import { runBinary } from '../support/run-cli.js';
import { runProgram } from '../support/run-program.js';
import { Slot, startSvscan } from '../support/s6.js';

/** `nobody` of Debian, and the group of the same number. */
const NOBODY = 65_534;
const BECOME = ['setpriv', '--reuid', 'nobody', '--regid', String(NOBODY), '--clear-groups'];

const real = withReal({
  programs: ['s6-svscan', 's6-svc', 's6-svdt', 's6-setuidgid', 'setpriv'],
  packages: ['s6', 'util-linux'],
  needsRoot: true,
});
const skip = real.skip || canRunThisClone(NOBODY);

/** Neither below /tmp nor /run: a temporary home gets no slot. */
function homeOfNobody(t: Test): string {
  const home = mkdtempSync('/var/lib/gw-');
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  let path = home;
  chownSync(path, NOBODY, NOBODY);
  for (const part of ['profiles', 'two']) {
    path = join(path, part);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, NOBODY, NOBODY);
  }
  writeFileSync(join(path, 'config.yaml'), '{}');
  chownSync(join(path, 'config.yaml'), NOBODY, NOBODY);
  return home;
}

async function underRoot(t: Test) {
  const home = homeOfNobody(t);
  const scan = await startSvscan(t);
  chmodSync(scan, 0o755);
  const slot = new Slot(join(scan, 'gateway-two'));
  t.teardown(() => slot.send('-wD', '-d').catch(() => undefined));
  const down = join(slot.path, 'down');
  const env = { S6_PROFILE_GATEWAY_SCANDIR: scan };
  const { PATH = '' } = process.env;
  const program = [process.execPath, packageFile('bin', 'gatewarden.js'), '--home', home];
  return {
    scan,
    slot,
    isHeldDown: () => existsSync(down),
    holdDown: () => writeFileSync(down, ''),
    asRoot: (...args: string[]) => runBinary(['--home', home, ...args], { env }),
    asAccount: (...args: string[]) =>
      runProgram([...BECOME, ...program, ...args], { env: { PATH, HOME: '/nonexistent', ...env } }),
  };
}

t.test('a slot of another account, under the s6-svscan of root', { skip }, async (t) => {
  const { asAccount, asRoot, holdDown, isHeldDown, scan, slot } = await underRoot(t);
  const install = ['units', 'install', 's6', '-p', 'two'];

  await t.test('of three installs at once one writes it and the others find it', async (t) => {
    const ran = await Promise.all([1, 2, 3].map(() => asRoot(...install, '--run-as', 'nobody')));
    for (const { code, stderr } of ran) t.equal(code, CLI_EXIT.done, stderr);
    const wrote = ran.filter(({ stdout }) => stdout.includes(`wrote ${slot.path}/run\n`));
    t.equal(wrote.length, 1);
    for (const { stdout } of ran) {
      t.match(stdout, 'gateway-two: installed, down, not started yet; start it with --now');
    }
    t.strictSame(readdirSync(scan).sort(), ['.s6-svscan', 'gateway-two']);
    t.ok(isHeldDown(), 'it waits for a verb');
  });

  await t.test(
    'its own account starts it for good, sees it, and finds it as it should be',
    async (t) => {
      const started = await asAccount('start');
      t.equal(started.code, CLI_EXIT.done, started.stderr);
      t.notOk(isHeldDown(), 'the next s6-svscan starts it, too');
      const { code, stdout } = await asAccount('status');
      t.equal(code, STATUS_EXIT.ready);
      t.match(stdout, /gateway-two \(s6\): up, pid \d+/);
      const diff = await asAccount('units', 'diff', 's6', '-p', 'two');
      t.equal(diff.code, CLI_EXIT.done, diff.stdout);
    },
  );

  await t.test('one that runs and is held down differs, until it is installed again', async (t) => {
    holdDown();
    const diff = await asAccount('units', 'diff', 's6', '-p', 'two');
    t.equal(diff.code, CLI_EXIT.failed);
    t.match(diff.stdout, `${slot.path}/down: not expected`);
    // for the account it was installed for, without being told again
    const installed = await asRoot(...install, '--now');
    t.equal(installed.code, CLI_EXIT.done, installed.stderr);
    t.match(installed.stdout, `removed ${slot.path}/down\n`);
    t.notOk(isHeldDown());
  });

  await t.test(
    'what a verb stops stays down, what a command of s6 stops is still wanted',
    async (t) => {
      await slot.send('-wD', '-d');
      t.notOk(isHeldDown());
      t.equal((await asAccount('stop')).code, CLI_EXIT.done);
      t.ok(isHeldDown());
      t.equal((await asAccount('restart')).code, CLI_EXIT.done);
      t.notOk(isHeldDown());
    },
  );
});
