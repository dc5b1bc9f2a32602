import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { judgeReap } from '../../../../src/cli/reap/judge-reap.js';
import type { Scope } from '../../../../src/containment/index.js';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { packageFile } from '../../../../src/core/package-root.js';
import { openBest, skipWithoutCgroups, uniqueTag } from '../../../support/test-containment.js';
import { growTree, livingOf } from '../../../support/tree-fixture.js';
import { until } from '../../../support/until.js';

const CLI = packageFile('bin', 'gatewarden.js');
const AT_ONCE = { graceMs: 0, giveUpMs: 30_000, lookEveryMs: 10 };
const UNIT = { directory: '/sys/fs/cgroup/system.slice/gatewarden.service', isRoot: false };

t.test('a unit is reaped only by systemd and only when nobody in it is in charge', async (t) => {
  const facts = { parentName: 'systemd', unit: UNIT, others: [] };
  const kindOf = (changes: Partial<Parameters<typeof judgeReap>[0]>) =>
    judgeReap({ ...facts, ...changes }).kind;
  const withArgv = (...argv: string[]) => kindOf({ others: [{ pid: 7, argv }] });
  t.equal(kindOf({}), 'reap');
  t.equal(kindOf({ unit: undefined }), 'no-cgroup');
  t.equal(kindOf({ unit: { ...UNIT, isRoot: true } }), 'refuse');
  for (const parentName of ['systemd-run', 'Systemd', 'bash', '', undefined]) {
    t.equal(kindOf({ parentName }), 'refuse', String(parentName));
  }
  t.equal(kindOf({ others: [{ pid: 7, argv: undefined }] }), 'reap', 'unreadable counts as dead');
  t.equal(withArgv('node', '/opt/gatewarden/bin/gatewarden.js', 'up'), 'refuse');
  t.equal(withArgv('/usr/bin/gatewarden', '--home', '/srv', 'up', '--once'), 'refuse');
  t.equal(withArgv('/usr/bin/gatewarden', 'gateway', 'run', '-p', 'coder'), 'refuse');
  t.equal(withArgv('/usr/bin/gatewarden', '-p', 'coder', 'gateway', 'run'), 'refuse');
  t.equal(withArgv('gatewarden: gateway coder'), 'reap', 'a worker without its supervisor');
  t.equal(withArgv('/usr/bin/gatewarden', 'logs', '--follow'), 'reap');
  t.equal(withArgv('adb', 'up'), 'reap');
});

interface Ran {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs `gatewarden reap` inside a cgroup, as a child of a program of the given name outside. */
async function reapIn(t: Test, unit: Scope, parentName: string): Promise<Ran> {
  const parent = join(t.testdir({}), parentName);
  copyFileSync('/bin/sh', parent);
  const line = '(echo 0 >"$1"; exec "$2" "$3" reap); exit $?';
  const words = [join(unit.place ?? '', 'cgroup.procs'), process.execPath, CLI];
  const child = spawn(parent, ['-c', line, parentName, ...words], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

function openUnit(t: Test): Scope {
  const unit = openBest(t).openScope(`${uniqueTag()}.service`);
  t.teardown(() => unit.end(AT_ONCE).then(() => unit.dispose()));
  return unit;
}

const options = { skip: skipWithoutCgroups() };

t.test('what a unit left is ended and counted, scrubbed processes too', options, async (t) => {
  const unit = openUnit(t);
  const { child, pids } = await growTree(unit, 5, 'scrubbed-double-fork');
  const { code, stderr } = await reapIn(t, unit, 'systemd');
  t.equal(code, CLI_EXIT.done, stderr);
  t.match(stderr, /ended 5 processes in /);
  t.strictSame(livingOf(pids), []);
  child.stdout?.destroy();
});

t.test('whoever is not started by systemd is refused', options, async (t) => {
  const unit = openUnit(t);
  const { child, pids } = await growTree(unit, 2, 'plain');
  const { code, stderr } = await reapIn(t, unit, 'systemd-x');
  t.equal(code, CLI_EXIT.failed);
  t.match(stderr, /reap-refused/);
  t.strictSame(livingOf(pids), pids);
  child.stdout?.destroy();
});

t.test('a unit whose supervisor lives is left alone', options, async (t) => {
  const unit = openUnit(t);
  const owner = unit.spawn({
    argv: ['sh', '-c', 'sleep 1000; :', 'gatewarden.js', 'up'],
    cwd: undefined,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'ignore',
  });
  await until('it runs', () => argvOf(owner.pid).includes('gatewarden.js'));
  const { code, stderr } = await reapIn(t, unit, 'systemd');
  t.equal(code, CLI_EXIT.failed);
  t.match(stderr, /still in charge/);
  t.strictSame(livingOf([owner.pid ?? 0]), [owner.pid]);
});

function argvOf(pid: number | undefined): readonly string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
}
