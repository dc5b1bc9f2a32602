import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { homeHash } from '../../src/config/paths.js';
import { scanProcesses } from '../../src/containment/index.js';
import { fixture } from '../support/fixture.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { skipWithoutCgroups } from '../support/test-containment.js';
import { livingOf } from '../support/tree-fixture.js';
import { until } from '../support/until.js';
import { cli, rowOf, untilStatus, up } from '../support/up.js';

const options = { skip: skipWithoutCgroups() };
const TREE_SIZE = 4;

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Processes of the home's profiles by their cgroup, whatever they made of their environment. */
function containedIn(home: string): number[] {
  const tree = new RegExp(`/gatewarden-${homeHash(home)}-[^/]+/coder`);
  return scanProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => tree.test(readText(`/proc/${pid}/cgroup`)));
}

function guardianOf(home: string): number | undefined {
  const isGuardian = (words: string) =>
    words.includes('guardian.sh') && words.includes(`${homeHash(home)}:`);
  return scanProcesses().find(({ pid }) => isGuardian(readText(`/proc/${pid}/cmdline`)))?.pid;
}

/** A program whose tree has nothing in common with it but the cgroup. */
function makeScrubbingHome(t: Test): string {
  const command = [fixture('grows-tree.py'), String(TREE_SIZE), 'scrubbed-double-fork'];
  const home = makeHome(t, profileFile('coder', { command, ready: { log: 'grown' } }));
  t.teardown(() => {
    for (const pid of containedIn(home)) process.kill(pid, 'SIGKILL');
  });
  return home;
}

async function upAndReady(t: Test, home: string) {
  const started = await up(t, home);
  const status = await untilStatus(
    home,
    'it is ready',
    (now) => rowOf(now, 'coder')?.state === 'ready',
  );
  return { ...started, status };
}

t.test(
  'the status counts what the cgroup holds and says which means is used',
  options,
  async (t) => {
    const home = makeScrubbingHome(t);
    const { status } = await upAndReady(t, home);
    t.match(status.supervisor, { containment: 'cgroup2', weakerBecause: null });
    // a reading is up to a second old
    await untilStatus(
      home,
      'strangers are counted',
      (now) => rowOf(now, 'coder')?.resources.processes === TREE_SIZE,
    );
    t.equal(rowOf(status, 'coder')?.resources.containment, 'cgroup2');
    const doctor = await cli(home, 'doctor');
    t.match(doctor.stdout, /containment +in use: cgroup2/);
  },
);

t.test('a killed program takes what scrubbed its environment along', options, async (t) => {
  const home = makeScrubbingHome(t);
  const { status } = await upAndReady(t, home);
  const before = containedIn(home);
  t.equal(before.length, TREE_SIZE);
  process.kill(rowOf(status, 'coder')?.pid ?? 0, 'SIGKILL');
  await untilStatus(home, 'the next one is ready', (now) => {
    const row = rowOf(now, 'coder');
    return row?.state === 'ready' && row.generation === 2;
  });
  t.strictSame(livingOf(before), []);
});

t.test('a killed supervisor takes what scrubbed its environment along', options, async (t) => {
  const home = makeScrubbingHome(t);
  const { child, exited } = await upAndReady(t, home);
  const before = containedIn(home);
  t.equal(before.length, TREE_SIZE);
  child.kill('SIGKILL');
  await exited;
  await until('nobody is left', () => livingOf(before).length === 0);
});

t.test(
  'when the guardian was killed too, the next supervisor sweeps by cgroup',
  options,
  async (t) => {
    const home = makeScrubbingHome(t);
    const { child, exited } = await upAndReady(t, home);
    const before = containedIn(home);
    const guardian = guardianOf(home);
    t.type(guardian, 'number');
    process.kill(guardian ?? 0, 'SIGKILL');
    child.kill('SIGKILL');
    await exited;
    t.equal(livingOf(before).length, TREE_SIZE, 'there is something to sweep');
    await upAndReady(t, home);
    t.strictSame(livingOf(before), []);
    t.equal(containedIn(home).length, TREE_SIZE, 'and the new one is whole');
    t.match((await cli(home, 'history', 'coder')).stdout, /ended what an earlier run left/);
  },
);
