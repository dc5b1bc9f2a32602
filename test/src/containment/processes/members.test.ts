import fc from 'fast-check';
import t from 'tap';
import { pickMembers, type Root } from '../../../../src/containment/index.js';
import type { ProcStat } from '../../../../src/core/proc-stat.js';

function process(pid: number, ppid: number, session = pid): ProcStat {
  return { pid, ppid, pgrp: session, session, state: 'S', startTicks: pid };
}

function root(pid: number, ownSession = true): Root {
  return { pid, startTicks: pid, ownSession };
}

const NO_SCOPES = { selfPid: 2, scopeOf: () => undefined };

function pidsOf(picked: readonly ProcStat[]): number[] {
  return picked.map((one) => one.pid).sort((left, right) => left - right);
}

t.test('a session belongs to its root, also what was re-parented', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2), process(11, 1, 10)];
  const membership = { roots: [root(10)], hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [10, 11]);
});

t.test('descendants belong to it, also those in a session of their own', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2), process(11, 10), process(12, 11)];
  const membership = { roots: [root(10)], hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [10, 11, 12]);
});

t.test('a tagged process belongs to it even when nothing else ties it', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(40, 1)];
  const membership = { roots: [root(10)], hasScope: (s: string) => s === 'mine' };
  const facts = { selfPid: 2, scopeOf: (pid: number) => (pid === 40 ? 'mine' : undefined) };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, facts)), [40]);
});

t.test('a root that shares our session does not claim its siblings', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2, 2), process(11, 2, 2)];
  const membership = { roots: [root(10, false)], hasScope: () => false };
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
        const membership = { roots: [root(rootPid)], hasScope: () => true };
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

t.test('a root whose number a stranger has now claims neither it nor its session', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(10, 2), process(11, 10, 10)];
  const gone = { pid: 10, startTicks: 9, ownSession: true };
  const membership = { roots: [gone], hasScope: () => false };
  t.strictSame(pickMembers(snapshot, membership, NO_SCOPES), []);
});

t.test('the session of a dead root is still its own', async (t) => {
  const snapshot = [process(1, 0), process(2, 1), process(11, 1, 10)];
  const membership = { roots: [root(10)], hasScope: () => false };
  t.strictSame(pidsOf(pickMembers(snapshot, membership, NO_SCOPES)), [11]);
});
