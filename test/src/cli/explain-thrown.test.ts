import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { aimHints } from '../../../src/cli/aim-hints.js';
import { SilenceError } from '../../../src/cli/control/silence.js';
import { explainThrown } from '../../../src/cli/explain-thrown.js';
import { onInterrupt, pause } from '../../../src/cli/interrupt.js';
import { unknownProfile } from '../../../src/cli/unknown-profile.js';
import { CLI_EXIT } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { runCli, scratchHome } from '../../support/run-cli.js';

const HOME = '/srv/bots';

t.test('what the system refuses is told in its words and is no bug', async (t) => {
  for (const [code, reason] of [
    ['EACCES', /cannot open \/srv\/bots\/logs: this account has no permission/],
    ['ENOSPC', /no space left/],
    ['EROFS', /read-only/],
  ] as const) {
    const thrown = Object.assign(new Error(code), { code, syscall: 'open', path: `${HOME}/logs` });
    const error = explainThrown(thrown, HOME);
    t.match(error, { code: 'io-failed', exitCode: CLI_EXIT.failed, message: reason });
  }
});

t.test('a supervisor that is silent or has gone is a failure, no bug', async (t) => {
  t.match(explainThrown(new SilenceError(5000), HOME), {
    code: 'supervisor-silent',
    exitCode: CLI_EXIT.failed,
    message: /did not answer within 5s/,
  });
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE']) {
    t.match(explainThrown(Object.assign(new Error(code), { code }), HOME), {
      code: 'no-supervisor',
      exitCode: CLI_EXIT.failed,
    });
  }
});

t.test('anything else stays a bug with its stack', async (t) => {
  t.equal(explainThrown(new TypeError('x is not a function'), HOME), undefined);
});

t.test('a hint names the home where another one than the usual is in use', async (t) => {
  const command = 'gatewarden --home /srv/bots';
  t.equal(aimHints('start one with: gatewarden up', command), `start one with: ${command} up`);
  t.equal(
    aimHints('run the newer gatewarden, or wait', command),
    'run the newer gatewarden, or wait',
  );
  const whole = 'sudo gatewarden --home /srv/gatewarden units install systemd';
  t.equal(
    aimHints(whole, 'gatewarden --home /srv/gatewarden'),
    whole,
    'the end of a path is no command',
  );
  const { home, env } = scratchHome(t);
  const { GATEWARDEN_HOME: _, ...bare } = env;
  const named = await runCli(['--home', home, 'stop', '--all'], { env: bare });
  t.match(named.stderr, `next: start one with: gatewarden --home ${home} up`);
  const usual = await runCli(['stop', '--all'], { env });
  t.match(usual.stderr, 'next: start one with: gatewarden up');
});

t.test('an answer that cannot be written is a failure, with a word on stderr', async (t) => {
  const gatewarden = packageFile('bin', 'gatewarden.js');
  const script = '"$0" "$1" version > /dev/full';
  const result = spawnSync('sh', ['-c', script, process.execPath, gatewarden], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  });
  t.equal(result.status, CLI_EXIT.failed, result.stderr);
  t.match(result.stderr, /^gatewarden: error: cannot write: no space left there/);
});

t.test('an unknown profile is told what there is of it', async (t) => {
  const { home } = scratchHome(t);
  mkdirSync(join(home, 'profiles', 'new'), { recursive: true });
  mkdirSync(join(home, 'logs', 'old'), { recursive: true });
  t.match(unknownProfile('new', home, ['a']), { message: /known: a$/, next: /gatewarden reload$/ });
  t.match(unknownProfile('old', home), { next: /its log is kept: gatewarden logs old$/ });
  t.match(unknownProfile('none', home), { next: /gatewarden profile add none$/ });
});

t.test('any number of profiles may wait for an interrupt without a warning', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const { signal, release } = onInterrupt();
  const waits = Array.from({ length: 31 }, () => pause(5, signal));
  t.equal(getEventListeners(signal, 'abort').length, 31);
  await Promise.all(waits);
  t.equal(getEventListeners(signal, 'abort').length, 0);
  release();
  t.strictSame(warnings, []);
});
