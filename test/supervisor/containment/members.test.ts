import fc from 'fast-check';
import t from 'tap';
import type { ProcStat } from '../../../src/core/proc-stat.js';
import { pickMembers } from '../../../supervisor/containment/members.js';

function process(pid: number, ppid: number, session = pid): ProcStat {
  return { pid, ppid, pgrp: session, session, state: 'S', startTicks: pid };
}

const NO_SCOPES = { selfPid: 2, scopeOf: () => undefined };

function pidsOf(picked: readonly ProcStat[]): number[] {
  return picked.map((one) => one.pid).sort((left, right) => left - right);
}

t.test('a session belongs to its root, also what was re-parented', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2), process(11, 1, 10)];
  const membership = { rootPid: 10, ownSession: true, hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [10, 11]);
});

t.test('descendants belong to it, also those in a session of their own', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2), process(11, 10), process(12, 11)];
  const membership = { rootPid: 10, ownSession: true, hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [10, 11, 12]);
});

t.test('a tagged process belongs to it even when nothing else ties it', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(40, 1)];
  const membership = { rootPid: 10, ownSession: true, hasScope: (s: string) => s === 'mine' };
  const facts = { selfPid: 2, scopeOf: (pid: number) => (pid === 40 ? 'mine' : undefined) };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, facts)), [40]);
});

t.test('a root that shares our session does not claim its siblings', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2, 2), process(11, 2, 2)];
  const membership = { rootPid: 10, ownSession: false, hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [10]);
});

t.test('neither we nor our ancestors are ever picked, whatever the tags say', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), {
        minLength: 20,
        maxLength: 20,
      }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (links, selfPid, rootPid) => {
        const snapshot = links.map(([ppid, session], index) => process(index + 1, ppid, session));
        const membership = { rootPid, ownSession: true, hasScope: () => true };
        const picked = pickMembers(snapshot, membership, { selfPid, scopeOf: () => 'all' });
        const spared = new Set<number>();
        for (let at = selfPid; at > 0 && !spared.has(at); at = snapshot[at - 1]?.ppid ?? 0) {
          spared.add(at);
        }
        return picked.every((one) => !spared.has(one.pid));
      },
    ),
  );
});
