import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { type LoneGateway, runAlone, untilReady } from '../support/lone-gateway.js';
import { listenForNotify } from '../support/notify-listener.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
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
    await replaceFrozen(t, home, next);
  },
);

/** Its end takes longer than a start may, and is no part of one. */
async function replaceFrozen(t: Test, home: string, frozen: LoneGateway): Promise<void> {
  frozen.child.kill('SIGSTOP');
  const manager = listenForNotify(t);
  const profile = 'one';
  const next = runAlone(t, { home, profile, args: ['--replace'], notify: manager.path });
  const leaseMs = async (phase: RegExp) => {
    const told = () => {
      const at = manager.messages.findIndex((text) => phase.test(text));
      const news = at < 0 ? '' : manager.messages.slice(at).join('\n');
      return /^EXTEND_TIMEOUT_USEC=(\d+)$/m.exec(news)?.[1];
    };
    await until(`the manager is told the time for ${phase}`, () => told() !== undefined);
    return Number(told()) / 1000;
  };
  const startMs = await leaseMs(/^STATUS=one starting: claiming the profile$/m);
  const replaceMs = await leaseMs(/^STATUS=one starting: replacing the owner$/m);
  t.ok(replaceMs - startMs >= 15_000, 'it has the time for both signals besides');
  t.strictSame(await frozen.exited, { code: null, signal: 'SIGKILL' });
  await untilReady(next);
  t.notOk(existsSync(join(home, 'profiles', 'one', 'state', 'gateway.takeover.json')));
}
