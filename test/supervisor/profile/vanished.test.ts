import t from 'tap';
import type { LedgerRecord, OpenGeneration } from '../../../src/store/index.js';
import { recordVanished, type VanishedFacts } from '../../../supervisor/profile/vanished.js';

const SPAWNED_AT = Date.UTC(2026, 0, 1);
const IDENTITY = { pid: 12, startTicks: 34, bootId: 'boot' };
const RUN: OpenGeneration = {
  profile: 'w2',
  generation: 2,
  identity: IDENTITY,
  spawnedAt: SPAWNED_AT,
  containment: undefined,
};

const life = (differs: Partial<LedgerRecord> = {}): LedgerRecord => ({
  phase: 'running',
  identity: IDENTITY,
  startedAt: SPAWNED_AT + 100,
  heartbeatAt: SPAWNED_AT + 60_000,
  memory: undefined,
  isClean: undefined,
  ...differs,
});
const SUPERVISOR = life({ identity: { ...IDENTITY, pid: 7 }, heartbeatAt: SPAWNED_AT + 50_000 });

const vanished = (differs: Partial<VanishedFacts> = {}) =>
  recordVanished({
    run: RUN,
    readyAt: SPAWNED_AT + 1000,
    life: life(),
    supervisor: SUPERVISOR,
    note: undefined,
    bootId: 'boot',
    nowMs: SPAWNED_AT + 3_600_000,
    ...differs,
  });

t.test('a run that vanished with its supervisor is lost, at its last sign of life', async (t) => {
  t.match(vanished(), {
    profile: 'w2',
    generation: 2,
    pid: 12,
    outcome: { kind: 'unseen' },
    cause: 'lost',
    uptimeMs: 60_000,
    readyMs: 59_000,
    at: SPAWNED_AT + 60_000,
    detail: 'it vanished with its supervisor (pid 7)',
  });
  t.equal(vanished({ readyAt: undefined }).readyMs, undefined);
});

t.test('it is told when that was in a drain, its own or that of all', async (t) => {
  const detail = 'it vanished with its supervisor (pid 7), while draining';
  t.equal(vanished({ life: life({ phase: 'draining' }) }).detail, detail);
  const supervisor = { ...SUPERVISOR, phase: 'draining' } as const;
  t.equal(vanished({ life: undefined, supervisor }).detail, detail, 'a program has no record');
  const ended = life({ phase: 'exited', isClean: true });
  t.match(vanished({ life: ended }).detail, 'and it finished what it had');
});

t.test('only evidence of its own end makes more of it than lost', async (t) => {
  const note = {
    kind: 'stall',
    atMs: SPAWNED_AT + 70_000,
    pid: 12,
    where: 'blocked in spin (/x.js:1:2)',
    lateMs: 90_000,
    fatal: true,
    path: '/evidence/one.json',
  } as const;
  t.match(vanished({ note }), {
    cause: 'stall',
    evidence: note.path,
    detail: 'its event loop stood still for 1m 30s: blocked in spin (/x.js:1:2)',
    uptimeMs: 70_000,
  });
  t.equal(vanished({ note, readyAt: undefined }).cause, 'start-timeout', 'it never served');
  for (const other of [
    { ...note, pid: 13 },
    { ...note, fatal: false },
    { ...note, atMs: SPAWNED_AT - 1 },
  ]) {
    t.match(vanished({ note: other }), { cause: 'lost', evidence: undefined });
  }
});

t.test('a host that was started anew since, and a clock that was set back, are seen', async (t) => {
  t.match(vanished({ bootId: 'another' }).detail, /; the host was started anew since$/);
  const { at, uptimeMs } = vanished({ nowMs: SPAWNED_AT - 1000 });
  t.strictSame([at, uptimeMs], [SPAWNED_AT, 0]);
});

t.test('the record of another life says nothing of this one', async (t) => {
  const other = life({ identity: { ...IDENTITY, startTicks: 35 }, phase: 'draining' });
  const death = vanished({ life: other });
  t.equal(death.detail, 'it vanished with its supervisor (pid 7)');
  t.equal(death.uptimeMs, 50_000, 'then the supervisor was seen last');
});
