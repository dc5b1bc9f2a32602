import { spawn } from 'node:child_process';
import t from 'tap';
import {
  bootId,
  identityOf,
  isAlive,
  listPids,
  livenessOf,
  readEnviron,
  readStat,
} from '../../../src/store/index.js';
import { parseEnviron, parseStat } from '../../../src/store/process-table.js';
import { until } from '../../support/until.js';

function own() {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('a running process has an identity');
  return identity;
}

t.test('a running process is alive under its identity and no other', async (t) => {
  const identity = own();
  t.ok(isAlive(identity));
  t.equal(livenessOf({ ...identity, startTicks: 1 }), 'dead', 'an older process of that pid');
  t.equal(livenessOf({ ...identity, bootId: 'another' }), 'dead', 'from before a reboot');
  t.equal(livenessOf({ ...identity, startTicks: undefined }), 'unknown', 'half an identity');
  t.notOk(isAlive({ ...identity, startTicks: undefined }), 'is proof of nothing');
});

t.test('a pid that nobody has belongs to nobody', async (t) => {
  t.equal(identityOf(2 ** 22 + 1), undefined);
  t.equal(livenessOf({ pid: 2 ** 22 + 1, startTicks: 5, bootId: bootId() }), 'dead');
});

t.test('a zombie is dead', async (t) => {
  // the shell becomes a program that never waits for the child it had as a shell
  const parent = spawn('sh', ['-c', 'sleep 0 & exec sleep 600'], { stdio: 'ignore' });
  t.teardown(() => parent.kill('SIGKILL'));
  const zombies = () =>
    (listPids() ?? []).filter((pid) => {
      const stat = readStat(pid);
      return stat?.parentPid === parent.pid && stat?.dead === true;
    });
  await until('the child is a zombie', () => zombies().length === 1);
  const [zombie = 0] = zombies();
  t.doesNotThrow(() => process.kill(zombie, 0), 'it still answers signal 0');
  t.equal(identityOf(zombie), undefined);
  const stat = readStat(zombie);
  t.equal(livenessOf({ pid: zombie, startTicks: stat?.startTicks, bootId: bootId() }), 'dead');
});

t.test('a command name with blanks and parentheses shifts no field', async (t) => {
  const fields = ['S', '10', '11', '12', ...Array(15).fill('0'), '4242', '0'].join(' ');
  for (const name of ['sh', 'a b', ') Z 1 (', '(((', 'x) S 1 1 1']) {
    t.strictSame(parseStat(`7 (${name}) ${fields}\n`), {
      parentPid: 10,
      groupId: 11,
      sessionId: 12,
      startTicks: 4242,
      dead: false,
      stopped: false,
    });
  }
  for (const state of ['Z', 'X', 'x']) {
    t.ok(parseStat(`7 (sh) ${state}${fields.slice(1)}`)?.dead, `${state} is dead`);
  }
  t.equal(parseStat(`7 (sh) T${fields.slice(1)}`)?.stopped, true);
  t.equal(parseStat('nonsense'), undefined);
  t.equal(parseStat('7 (sh) S 1'), undefined);
});

t.test('the environment a process was started with can be read', async (t) => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', env: { MARK: 'a=b', PATH: '/bin' } });
  t.teardown(() => child.kill('SIGKILL'));
  // before exec it still shows ours
  await until('it has its own', () => readEnviron(child.pid ?? 0)?.get('MARK') !== undefined);
  t.equal(readEnviron(child.pid ?? 0)?.get('MARK'), 'a=b');
  t.equal(readEnviron(2 ** 22 + 1), undefined);
  t.strictSame(
    [...parseEnviron('A=1\0\0=x\0B\0C=\0')],
    [
      ['A', '1'],
      ['C', ''],
    ],
  );
});

t.test('every process that runs is listed', async (t) => {
  t.ok(listPids()?.includes(process.pid));
});
