import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { artefactFindings } from '../../../../src/cli/doctor/artefacts.js';
import { homeLayout, profileLayout } from '../../../../src/config/paths.js';
import { ownerPath } from '../../../../src/store/lock-owner.js';
import { ownOwner } from '../../../../src/store/place.js';
import { runAlone, untilReady } from '../../../support/lone-gateway.js';
import { runCli, scratchHome } from '../../../support/run-cli.js';

/** beyond the highest that Linux gives out */
const NEVER_A_PID = 4_194_305;

interface Planted {
  readonly path: string;
  readonly text: string;
}

/** One of everything that we write, as if `pid` had written it and was then killed. */
function artefactsOf(home: string, locks: string, pid: number, startTicks?: number): Planted[] {
  const layout = homeLayout(home);
  const profile = profileLayout(home, 'default');
  const base = ownOwner(home, 'default');
  const identity = { ...base.identity, pid, startTicks: startTicks ?? base.identity.startTicks };
  const owner = JSON.stringify({ ...base, identity });
  const { bootId } = identity;
  const hint = JSON.stringify({
    pid,
    startTicks: identity.startTicks,
    bootId,
    owner: { ...base, identity },
  });
  const marker = JSON.stringify({ target: base, by: { ...base, identity }, at: Date.now() });
  return [
    { path: layout.supervisorHint, text: hint },
    { path: ownerPath(layout.supervisorLock), text: owner },
    { path: layout.supervisorTakeover, text: marker },
    { path: profile.gatewayHint, text: hint },
    { path: ownerPath(profile.gatewayLock), text: owner },
    { path: profile.takeoverMarker, text: marker },
    { path: join(locks, 'telegram-0123456789abcdef.lock.0.owner.json'), text: owner },
  ];
}

function draftsOf(home: string, pid: number): Planted[] {
  const { evidenceDir, stateDir } = profileLayout(home, 'default');
  return [
    join(stateDir, `.lifecycle.json.${pid}.0badcafe.tmp`),
    join(stateDir, `.processes.json.${pid}.0badcafe.tmp`),
    join(homeLayout(home).stateDir, `.supervisor.json.${pid}.0badcafe.tmp`),
    join(homeLayout(home).stateDir, `.lifecycle.json.${pid}.tmp`),
    join(homeLayout(home).stateDir, `.lock-check.${pid}.0badcafe`),
    join(evidenceDir, `2026-01-01T00-00-00-000Z-${pid}-stall.json.new`),
  ].map((path) => ({ path, text: '{' }));
}

function plant(planted: readonly Planted[]): void {
  for (const { path, text } of planted) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

async function initialized(t: Parameters<typeof scratchHome>[0]) {
  const { env, home, root } = scratchHome(t);
  const locks = join(root, 'locks');
  const own = { ...env, GATEWARDEN_GATEWAY_LOCK_DIR: locks };
  await runCli(['init'], { env: own });
  return { env: own, home, locks };
}

t.test('doctor tells of each artefact of the dead, removes none, and none blocks', async (t) => {
  const { env, home, locks } = await initialized(t);
  const planted = [...artefactsOf(home, locks, NEVER_A_PID), ...draftsOf(home, NEVER_A_PID)];
  plant(planted);
  const { code, stdout } = await runCli(['doctor', '--json'], { env });
  t.equal(code, 1);
  const { checks } = JSON.parse(stdout) as {
    checks: { check: string; findings: { what: string; remedy: string }[] }[];
  };
  const findings = checks.find(({ check }) => check === 'leftovers')?.findings ?? [];
  for (const { path } of planted) {
    const found = findings.filter(({ what }) => what.includes(path));
    t.equal(found.length, 1, `told once: ${path}`);
    t.match(found[0]?.remedy, `rm ${path}`);
    t.ok(existsSync(path), 'and left where it is');
  }
  const gateway = runAlone(t, { home, profile: 'default', lockDir: locks });
  await untilReady(gateway);
  gateway.child.kill('SIGTERM');
  await gateway.exited;
});

t.test('what a live process may have written is no finding, whoever that is', async (t) => {
  const { env, home, locks } = await initialized(t);
  const names = ['default'];
  const own = artefactsOf(home, locks, process.pid);
  plant([...own, ...draftsOf(home, process.pid)]);
  const findings = () => artefactFindings({ env, home, names }).filter((one) => one !== undefined);
  t.strictSame(findings(), [], 'the owner itself');

  // the pid is a live stranger's by now: its start time proves that it is not the owner
  plant(artefactsOf(home, locks, process.pid, 12));
  const told = findings().map(({ what }) => what);
  t.equal(told.length, own.length - 2, 'all but the two hints, which another look judges');
  t.notOk(
    told.some((what) => what.includes('.tmp')),
    'a draft has no start time, so a live pid keeps it',
  );
});

t.test('the lock of somebody else stays theirs', async (t) => {
  const { env, home, locks } = await initialized(t);
  const [record] = artefactsOf('/somebody/elses', locks, NEVER_A_PID).slice(-1);
  plant(record === undefined ? [] : [record]);
  t.strictSame(
    artefactFindings({ env, home, names: ['default'] }).filter((one) => one !== undefined),
    [],
  );
  t.strictSame(readdirSync(locks).length, 1);
});
