import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t from 'tap';
import { startFixture } from '../../support/fixture-process.js';
import { diedAt, openWatched, phaseAt } from '../../support/store-events.js';
import { mountTinyDisk, tinyDiskMissing } from '../../support/tiny-disk.js';
import { until } from '../../support/until.js';

const noDisk = tinyDiskMissing();

/** The 99th percentile of the loop's delay while `work` runs, in milliseconds. */
async function loopDelayOf(work: () => Promise<void>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  histogram.enable();
  await work();
  histogram.disable();
  return histogram.percentile(99) / 1e6;
}

t.test('a database locked for long by another process stops nobody', async (t) => {
  const path = join(t.testdir(), 'supervisor.db');
  const { store, failings, recoveries } = openWatched(path);
  let cursor = 1;
  const recordAll = async () => {
    for (let count = 0; count < 100; count++, cursor++) {
      store.record(diedAt(cursor));
      await sleep(5);
    }
  };
  const baselineMs = await loopDelayOf(recordAll);
  const holder = startFixture(t, 'store/locks-database', [path]);
  await holder.says('locked');
  const lockedMs = await loopDelayOf(recordAll);
  t.ok(lockedMs < baselineMs * 5 + 20, `p99 ${lockedMs} ms against ${baselineMs} ms`);
  t.strictSame(failings, ['database locked by another process'], 'told once');
  t.equal(store.history({ limit: 500 }).length, 200, 'and nothing is missing meanwhile');
  holder.tell('let go');
  await until('it has caught up', () => recoveries.length === 1);
  t.equal(store.failing(), undefined);
  t.strictSame(recoveries, [100]);
  t.equal(store.load().counters.get('coder')?.failure, 200);
  store.close();
});

t.test('a store that is locked at the start begins empty and catches up', async (t) => {
  const path = join(t.testdir(), 'supervisor.db');
  const holder = startFixture(t, 'store/locks-database', [path]);
  await holder.says('locked');
  const { store, failings, recoveries } = openWatched(path, { now: () => 5_000_000 });
  const state = store.load();
  t.equal(state.nextCursor, 5_000_001, 'beyond every cursor that may be on disk');
  store.setDesired('coder', 'running', 'cli');
  store.record(phaseAt(state.nextCursor));
  await until('the outage is told', () => failings.length === 1);
  holder.tell('let go');
  await until('it has caught up', () => recoveries.length === 1);
  t.equal(store.load().desired.get('coder')?.desired, 'running');
  t.equal(store.load().nextCursor, 5_000_002);
  store.close();
});

t.test(
  'a full disk is told once, remembered through, and caught up with',
  { skip: noDisk },
  async (t) => {
    const disk = mountTinyDisk(t, 16_384);
    const path = join(disk.path, 'state', 'supervisor.db');
    const first = openWatched(path);
    first.store.record(phaseAt(1));
    first.store.setDesired('writer', 'stopped', 'cli');
    disk.fill();
    for (let cursor = 2; cursor <= 3000; cursor++) first.store.record(diedAt(cursor));
    await until('it fails', () => first.store.failing() !== undefined);
    t.match(first.store.failing(), /disk full/);
    first.store.setDesired('coder', 'stopped', 'cli');
    disk.empty();
    await until('it has caught up', () => first.recoveries.length === 1);
    t.equal(first.failings.length, 1);
    t.equal(first.store.load().desired.get('coder')?.desired, 'stopped');
    t.equal(first.store.load().counters.get('coder')?.failure, 2999);
    first.store.close();
    const db = new Database(path);
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    db.close();
  },
);

t.test(
  'a supervisor that starts on a full disk still knows the past',
  { skip: noDisk },
  async (t) => {
    const disk = mountTinyDisk(t, 512);
    const path = join(disk.path, 'supervisor.db');
    const first = openWatched(path);
    first.store.setDesired('coder', 'stopped', 'cli');
    first.store.record(diedAt(1));
    first.store.close();
    disk.fill();
    const { store, failings, recoveries } = openWatched(path);
    const state = store.load();
    t.equal(state.desired.get('coder')?.desired, 'stopped');
    t.equal(state.counters.get('coder')?.failure, 1);
    store.record(diedAt(state.nextCursor));
    await until('the outage is told', () => failings.length === 1);
    disk.empty();
    await until('it has caught up', () => recoveries.length === 1);
    t.equal(store.load().counters.get('coder')?.failure, 2);
    store.close();
  },
);

t.test('an outage longer than the queue loses events but no count and no wish', async (t) => {
  const path = join(t.testdir(), 'supervisor.db');
  const { store, recoveries } = openWatched(path, { maxPending: 100 });
  const holder = startFixture(t, 'store/locks-database', [path]);
  await holder.says('locked');
  store.setDesired('coder', 'stopped', 'cli');
  for (let cursor = 1; cursor <= 1000; cursor++) store.record(diedAt(cursor));
  t.ok(store.lost() >= 890, `${store.lost()} lost`);
  holder.tell('let go');
  await until('it has caught up', () => recoveries.length === 1);
  t.equal(store.load().counters.get('coder')?.failure, 1000);
  t.equal(store.load().desired.get('coder')?.desired, 'stopped');
  t.equal(store.history({ limit: 1 })[0]?.cursor, 1000, 'the newest are kept');
  store.close();
});

t.test('closing during an outage ends at once and says what is lost', async (t) => {
  const path = join(t.testdir(), 'supervisor.db');
  const { store } = openWatched(path);
  const holder = startFixture(t, 'store/locks-database', [path]);
  await holder.says('locked');
  store.record(phaseAt(1));
  t.strictSame(store.close(), { unwritten: 1 });
  t.strictSame(store.close(), { unwritten: 1 });
});

t.test('a home where nothing can be made is an outage, not a crash', async (t) => {
  const dir = t.testdir({ file: '' });
  const { store, failings } = openWatched(join(dir, 'file', 'supervisor.db'));
  store.record(phaseAt(1));
  await until('the outage is told', () => failings.length === 1);
  t.equal(store.history({ limit: 1 }).length, 1);
  store.close();
  mkdirSync(join(dir, 'other'));
  t.notOk(existsSync(join(dir, 'file', 'supervisor.db')));
});
