import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { identityOf, Ledger, readEarlierLife } from '../../../../src/store/index.js';
import {
  isMemoryCritical,
  judgeEarlierLife,
  type LedgerRecord,
  parseLedgerRecord,
} from '../../../../src/store/ledger/record.js';
import { until } from '../../../support/until.js';

const ME = identityOf(process.pid) ?? { pid: process.pid, startTicks: 1, bootId: undefined };
const SAMPLE = { rssBytes: 512 * 1024 ** 2, availableBytes: 1e9, isCritical: false };
const BEGAN_MS = Date.UTC(2026, 0, 1);

const record = (differs: Partial<LedgerRecord> = {}): LedgerRecord => ({
  phase: 'running',
  identity: { pid: 12, startTicks: 34, bootId: 'b' },
  startedAt: BEGAN_MS,
  heartbeatAt: BEGAN_MS + 65_000,
  memory: SAMPLE,
  isClean: undefined,
  ...differs,
});
const read = (path: string) => parseLedgerRecord(JSON.parse(readFileSync(path, 'utf8')));

t.test('a record says how its owner ended, and an owner that lives has not ended', async (t) => {
  const judge = (one: LedgerRecord | undefined, liveness: 'alive' | 'dead' | 'unknown') =>
    judgeEarlierLife(one, () => liveness);
  t.strictSame(judge(undefined, 'dead'), { kind: 'none' });
  t.strictSame(judge(record({ phase: 'exited', isClean: true }), 'dead'), {
    kind: 'ended',
    isClean: true,
  });
  t.match(judge(record({ phase: 'exited', isClean: false }), 'alive'), { isClean: false });
  t.strictSame(judge(record(), 'alive'), { kind: 'alive', pid: 12 });
  t.strictSame(judge(record(), 'unknown'), { kind: 'alive', pid: 12 }, 'no proof, no verdict');
  t.strictSame(judge(record({ phase: 'draining' }), 'dead'), {
    kind: 'unclean',
    suspectsMemory: false,
    pid: 12,
    startedAt: BEGAN_MS,
    detail:
      'pid 12 vanished while draining; last sign of life 2026-01-01T00:01:05.000Z, 1m 5s after its start; it had 512 MiB of memory',
  });
});

t.test('an end after memory was nearly used up is suspected to be for that', async (t) => {
  const memory = { ...SAMPLE, isCritical: true };
  const judged = judgeEarlierLife(record({ memory }), () => 'dead');
  t.match(judged, { kind: 'unclean', suspectsMemory: true, detail: /killed for that$/ });
  t.equal(isMemoryCritical(49, 1000), true);
  t.equal(isMemoryCritical(50, 1000), false);
  t.equal(isMemoryCritical(undefined, 1000), false);
  t.equal(isMemoryCritical(0, 0), false);
});

t.test('what is no record of ours is none', async (t) => {
  const good = JSON.parse(JSON.stringify(record()));
  t.match(parseLedgerRecord(good), record());
  for (const bad of [
    undefined,
    null,
    'x',
    {},
    { ...good, phase: 'sleeping' },
    { ...good, identity: null },
    { ...good, identity: { pid: -1 } },
    { ...good, heartbeatAt: 'x' },
    { ...good, startedAt: 1e300 },
  ]) {
    t.equal(parseLedgerRecord(bad), undefined);
  }
});

t.test('a life is written from its beginning to its end, with signs of life between', async (t) => {
  const path = join(t.testdir(), 'lifecycle.json');
  const ledger = new Ledger({ path, identity: ME, beatMs: 5 });
  t.teardown(() => ledger.exited(true));
  t.strictSame(ledger.earlier, { kind: 'none' });
  const first = read(path);
  t.match(first, { phase: 'running', identity: ME });
  t.ok((first?.memory?.rssBytes ?? 0) > 1024 ** 2, 'with its memory');
  await until('a sign of life', () => (read(path)?.heartbeatAt ?? 0) > (first?.heartbeatAt ?? 0));
  ledger.draining();
  t.match(read(path), { phase: 'draining' });
  ledger.exited(false);
  ledger.exited(true);
  t.match(read(path), { phase: 'exited', isClean: false }, 'the first word counts');
  t.strictSame(readEarlierLife(path), { kind: 'ended', isClean: false });
});

t.test('a process that was killed is recognised by its record', async (t) => {
  const path = join(t.testdir(), 'lifecycle.json');
  const child = spawn('/bin/sleep', ['471'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  t.teardown(() => child.kill('SIGKILL'));
  const identity = identityOf(child.pid ?? 0);
  t.ok(identity);
  const { isClean: _, ...left } = record(identity === undefined ? {} : { identity });
  writeFileSync(path, JSON.stringify(left));
  t.match(readEarlierLife(path), { kind: 'alive', pid: child.pid });
  child.kill('SIGKILL');
  await exited;
  t.match(readEarlierLife(path), { kind: 'unclean', detail: /vanished while running/ });
  const ledger = new Ledger({ path, identity: ME });
  t.match(ledger.earlier, { kind: 'unclean' });
  ledger.exited(true);
});

t.test("a process that still ends does not overwrite its successor's record", async (t) => {
  const path = join(t.testdir(), 'lifecycle.json');
  const old = new Ledger({ path, identity: { ...ME, pid: 12 }, beatMs: 5 });
  const successor = new Ledger({ path, identity: ME });
  const before = readFileSync(path, 'utf8');
  old.draining();
  old.exited(true);
  t.equal(readFileSync(path, 'utf8'), before);
  successor.exited(true);
  t.match(read(path), { identity: ME, phase: 'exited', isClean: true });
});

t.test('a record that cannot be written costs nothing', async (t) => {
  const path = join(t.testdir(), 'missing', 'lifecycle.json');
  const ledger = new Ledger({ path, identity: ME });
  ledger.draining();
  ledger.exited(true);
  t.notOk(existsSync(path));
});
