import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findOwnUnits, type OwnUnit } from '../../../../src/cli/units/own-units.js';
import { describeRepair, repairUnit } from '../../../../src/cli/units/repair.js';
import { startControlServer, writeHint } from '../../../support/control-server.js';
import { lastingHome, NO_LASTING_PLACE } from '../../../support/lasting-home.js';
import { runCli, scratchHome } from '../../../support/run-cli.js';
import { aProfile, aReport } from '../../../support/status-facts.js';

t.jobs = 2;

type Lasting = NonNullable<Awaited<ReturnType<typeof lastingHome>>>;

/** What says that s6-svscan looks at a folder, while nobody does: it cannot be told anything. */
function pretendScanned(slots: string): void {
  mkdirSync(join(slots, '.s6-svscan', 'control'), { recursive: true });
}

async function onlyUnit({ env, home }: Lasting): Promise<OwnUnit> {
  const [unit, ...more] = await findOwnUnits(home, env);
  if (unit === undefined || more.length > 0) throw new Error('expected one unit');
  return unit;
}

async function withHome(t: Test, run: (lasting: Lasting) => Promise<void>): Promise<void> {
  const lasting = await lastingHome(t);
  if (lasting === undefined) t.comment(`skipped: ${NO_LASTING_PLACE}`);
  else await run(lasting);
}

t.test('a launcher is written again without a word to the manager', (t) =>
  withHome(t, async (lasting) => {
    const { env, home, install, slots } = lasting;
    t.equal((await install('s6', '--out', slots)).code, 0);
    pretendScanned(slots);
    appendFileSync(join(home, 'bin', 'gatewarden'), '# older\n');
    const unit = await onlyUnit(lasting);
    t.match(await repairUnit(unit, env), { kind: 'repaired', untold: undefined });

    appendFileSync(join(slots, 'gatewarden', 'finish'), '# older\n');
    const repair = await repairUnit(unit, env);
    t.match(repair, { kind: 'repaired', untold: /s6-svscanctl/ }, 'written, though it is not told');
    t.match(describeRepair(unit, repair), /is written again .* as soon as s6 knows: /);
  }),
);

t.test('a bad configuration makes no unit stale, and none is written for it', (t) =>
  withHome(t, async (lasting) => {
    const { env, home, install, userUnits } = lasting;
    const config = join(home, 'profiles', 'default', 'config.yaml');
    writeFileSync(config, 'drain_seconds: 600\n');
    for (const which of [['-p', 'default'], []]) {
      t.equal((await install('systemd', '--user', '--out', userUnits, ...which)).code, 0);
      const unit = await onlyUnit(lasting);
      const before = readFileSync(unit.path, 'utf8');
      writeFileSync(config, 'drain_seconds: 600\nno_such_key: 1\n');
      const repair = await repairUnit(unit, env);
      t.equal(repair.kind, 'unknown');
      t.match(describeRepair(unit, repair), /is stale cannot be told: /);
      t.equal(readFileSync(unit.path, 'utf8'), before);
      writeFileSync(config, 'drain_seconds: 600\n');
      const out = ['--user', '--out', userUnits, ...which];
      t.equal((await runCli(['units', 'uninstall', 'systemd', ...out], { env })).code, 0);
    }
  }),
);

t.test('start and restart write a stale unit again while a supervisor answers', (t) =>
  withHome(t, async ({ env, home, install, userUnits }) => {
    t.equal((await install('systemd', '--user', '--out', userUnits)).code, 0);
    const { root } = scratchHome(t);
    const report = { status: 200, body: aReport(aProfile()) };
    const server = await startControlServer(join(root, 'c.sock'), () => report);
    t.teardown(() => server.close());
    writeHint(home, server.socketPath);
    const [unit] = await findOwnUnits(home, env);
    const path = unit?.path ?? '';
    const current = readFileSync(path, 'utf8');
    for (const verb of ['start', 'restart']) {
      writeFileSync(path, current.replace('RestartSec=5', 'RestartSec=9'));
      const { stderr } = await runCli([verb, '--no-wait'], { env });
      t.match(stderr, /notice: gatewarden.*\.service was stale and is written again/, verb);
      t.equal(readFileSync(path, 'utf8'), current);
    }
  }),
);
