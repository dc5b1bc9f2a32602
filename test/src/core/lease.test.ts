import fc from 'fast-check';
import t from 'tap';
import {
  decideLease,
  judgeTenure,
  LEASE_TIMES,
  type LeaseFacts,
  type LeaseRecord,
} from '../../../src/core/lease.js';
import type { Owner } from '../../../src/core/owner.js';

const OWNER: Owner = {
  identity: { pid: 1, startTicks: 2, bootId: 'b' },
  home: '/h',
  startedAt: 0,
};
const RECORD: LeaseRecord = { generation: 4, owner: OWNER, beatEveryMs: 100, isReleased: false };

function decide(changes: Partial<LeaseFacts>): string {
  return decideLease({
    present: RECORD,
    nearness: 'other-machine',
    liveness: 'elsewhere',
    lock: 'held',
    storage: 'shared',
    unchangedMs: 0,
    staleAfterBeats: 6,
    ...changes,
  }).kind;
}

t.test('nobody, or one that ended in good order, leaves the home free', async (t) => {
  t.equal(decide({ present: undefined }), 'take');
  t.equal(decide({ present: { ...RECORD, isReleased: true } }), 'take');
});

t.test(
  'on shared storage only a beat that stands still for long enough proves a death',
  async (t) => {
    for (const nearness of ['other-machine', 'earlier-boot'] as const) {
      t.equal(decide({ nearness, unchangedMs: 599 }), 'watch', nearness);
      t.equal(decide({ nearness, unchangedMs: 600 }), 'take', nearness);
    }
  },
);

t.test('on a disk of our own the kernel’s lock is enough, also after a boot', async (t) => {
  for (const nearness of ['other-machine', 'earlier-boot', 'same-kernel'] as const) {
    t.equal(decide({ nearness, storage: 'local' }), 'take', nearness);
    t.equal(decide({ nearness, storage: 'local', lock: 'broken' }), 'watch', nearness);
  }
});

t.test('another container of this kernel has let go when its lock is ours', async (t) => {
  t.equal(decide({ nearness: 'same-kernel' }), 'take');
  t.equal(decide({ nearness: 'same-kernel', lock: 'broken' }), 'watch');
});

t.test('an owner that we can see is asked of the process table', async (t) => {
  const near = { nearness: 'same-table' } as const;
  t.equal(decide({ ...near, liveness: 'dead' }), 'take');
  t.equal(decide({ ...near, liveness: 'alive' }), 'owned', 'its lock file was removed');
  t.equal(decide({ ...near, liveness: 'alive', unchangedMs: 1e9 }), 'owned', 'however silent');
  t.equal(decide({ ...near, liveness: 'unknown' }), 'take', 'the lock is ours');
  t.equal(decide({ ...near, liveness: 'unknown', lock: 'broken' }), 'watch');
});

t.test('an owner finds that it was overtaken, or that it may be', async (t) => {
  const facts = {
    own: 4,
    highest: 4,
    sinceRenewedMs: 0,
    storage: 'shared',
    ...LEASE_TIMES,
  } as const;
  t.equal(judgeTenure(facts), 'kept');
  t.equal(judgeTenure({ ...facts, highest: 5 }), 'taken');
  t.equal(judgeTenure({ ...facts, storage: 'local', highest: 5 }), 'taken');
  const late = { ...facts, highest: undefined, sinceRenewedMs: 15_000 };
  t.equal(judgeTenure(late), 'fenced');
  t.equal(judgeTenure({ ...late, sinceRenewedMs: 14_999 }), 'kept');
  t.equal(judgeTenure({ ...late, storage: 'local' }), 'kept', 'a full disk stops nobody');
});

/**
 * Hosts on one volume whose locks exclude nobody: each renews, watches or hangs as chance wants,
 * in steps of one beat. A process acts on what it read, possibly much later (it was stopped in
 * between); creating a generation is atomic, as link(2) is.
 */
t.test('however hosts hang, die and come back, one that is not fenced runs', async (t) => {
  interface Host {
    state: 'out' | 'watching' | 'runs';
    own: number;
    renewedAt: number;
    seen: { beat: string; since: number };
    hangs: boolean;
  }
  const event = fc.tuple(
    fc.nat(2),
    fc.constantFrom('start', 'die', 'hang', 'resume', 'tick', 'tick'),
  );
  const beatEveryMs = LEASE_TIMES.beatEveryMs;
  const property = fc.property(fc.array(event, { maxLength: 120 }), (events) => {
    let now = 0;
    const files = new Map<number, { by: number; beatAt: number; isReleased: boolean }>();
    const highest = () => Math.max(0, ...files.keys());
    const hosts: Host[] = [0, 1, 2].map(() => ({
      state: 'out',
      own: 0,
      renewedAt: 0,
      seen: { beat: '', since: 0 },
      hangs: false,
    }));
    const tick = (host: Host, index: number) => {
      if (host.hangs || host.state === 'out') return;
      const top = highest();
      const file = files.get(top);
      if (host.state === 'runs') {
        const isOurs = top === host.own;
        const sinceRenewedMs = now - host.renewedAt;
        const facts = { ...LEASE_TIMES, own: host.own, sinceRenewedMs, storage: 'shared' as const };
        // the judgement comes before the beat, as in the program
        if (judgeTenure({ ...facts, highest: undefined }) !== 'kept' || !isOurs) host.state = 'out';
        else if (file !== undefined) {
          file.beatAt = now;
          host.renewedAt = now;
        }
        return;
      }
      const beat = `${top}-${file?.beatAt}`;
      if (beat !== host.seen.beat) host.seen = { beat, since: now };
      const decision = decideLease({
        present: file && { ...RECORD, beatEveryMs, generation: top, isReleased: file.isReleased },
        nearness: 'other-machine',
        liveness: 'elsewhere',
        lock: 'broken',
        storage: 'shared',
        unchangedMs: now - host.seen.since,
        staleAfterBeats: LEASE_TIMES.staleAfterBeats,
      });
      if (decision.kind !== 'take') return;
      files.set(top + 1, { by: index, beatAt: now, isReleased: false });
      Object.assign(host, { state: 'runs', own: top + 1, renewedAt: now });
    };
    for (const [index, what] of events) {
      const host = hosts[index];
      if (host === undefined) continue;
      now += beatEveryMs / 2;
      if (what === 'start' && host.state === 'out') host.state = 'watching';
      if (what === 'die') Object.assign(host, { state: 'out', hangs: false });
      if (what === 'hang') host.hangs = true;
      if (what === 'resume') host.hangs = false;
      // whoever does not hang lives through every step
      for (const [each, one] of hosts.entries()) tick(one, each);
      const running = hosts.filter((one) => one.state === 'runs' && !one.hangs);
      if (running.length > 1) throw new Error(`${running.length} run at ${now} ms`);
    }
  });
  const numRuns = process.env['GATEWARDEN_THOROUGH'] === '1' ? 20_000 : 500;
  fc.assert(property, { numRuns });
  t.pass(`${numRuns} histories`);
});
