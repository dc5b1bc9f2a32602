import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { runAlone, untilReady } from '../support/lone-gateway.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli } from '../support/up.js';

interface DoctorReport {
  readonly checks: readonly { readonly check: string; readonly findings: unknown[] }[];
}

t.test(
  'an owner that is frozen is named after a bounded wait; --replace ends it and nobody else',
  { timeout: 240_000 },
  async (t) => {
    const brief = { drain_seconds: 0 };
    const home = makeHome(t, {
      ...profileFile('one', brief),
      ...profileFile('two', brief),
      'state/.keep': '',
    });
    const frozen = runAlone(t, { home, profile: 'one' });
    const neighbour = runAlone(t, { home, profile: 'two' });
    await untilReady(frozen);
    await untilReady(neighbour);
    frozen.child.kill('SIGSTOP');

    const refused = runAlone(t, { home, profile: 'one' });
    t.strictSame(await refused.exited, { code: EXIT.failure, signal: null });
    t.match(
      refused.output(),
      new RegExp(`pid ${frozen.pid} \\(.*is alive but does not answer.*owner-busy`, 's'),
    );

    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(home, 'profiles', 'one', 'state', 'gateway.json'), longAgo, longAgo);
    const report = JSON.parse((await cli(home, 'doctor', '--json')).stdout) as DoctorReport;
    const check = (name: string) => report.checks.find((one) => one.check === name);
    t.match(check('owners')?.findings, [{ what: new RegExp(`pid ${frozen.pid} .*has not moved`) }]);
    t.match(check('locks'), { seen: /a second process was refused/, findings: [] });

    frozen.child.kill('SIGCONT');
    const next = runAlone(t, { home, profile: 'one', args: ['--replace'] });
    t.strictSame(await frozen.exited, { code: EXIT.done, signal: null }, 'a healthy one just goes');
    t.match(frozen.output(), new RegExp(`pid ${next.pid} `), 'and says who takes its place');
    await untilReady(next);
    t.equal(neighbour.child.exitCode, null, 'the other profile was not touched');
    t.equal(neighbour.child.signalCode, null);
  },
);
