import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { diedAt, openWatched, phaseAt } from '../../support/store-events.js';
import { until } from '../../support/until.js';

function pathIn(dir: string): string {
  return join(dir, 'state', 'supervisor.db');
}

const GENERATION = {
  profile: 'coder',
  generation: 7,
  identity: { pid: 42, startTicks: 99, bootId: 'boot' },
  spawnedAt: 5,
  containment: '/gatewarden/coder',
};

t.test('the next supervisor knows what the last one was told', async (t) => {
  const path = pathIn(t.testdir());
  const first = openWatched(path, { now: () => 500 }).store;
  t.match(first.load(), { nextCursor: 1, open: [] });
  first.setDesired('coder', 'running', 'cli');
  first.setDesired('coder', 'stopped', 'api');
  first.openGeneration(GENERATION);
  first.record(phaseAt(1));
  first.record(diedAt(2));
  first.record(diedAt(3, 'writer', 'stall'));
  t.strictSame(first.close(), { unwritten: 0 });
  t.equal(statSync(path).mode & 0o777, 0o600);

  const { store } = openWatched(path);
  const state = store.load();
  t.strictSame(state.desired.get('coder'), { desired: 'stopped', by: 'api', at: 500 });
  t.equal(state.counters.get('coder')?.failure, 1);
  t.equal(state.counters.get('writer')?.stall, 1);
  t.match(state.deaths.get('coder'), [{ generation: 2, detail: 'the last line' }]);
  t.equal(state.generations.get('coder'), 7);
  t.strictSame(state.open, [GENERATION], 'spawned and never seen to end');
  t.equal(state.nextCursor, 4);
  store.close();
});

t.test('a generation that ended is not a leftover', async (t) => {
  const path = pathIn(t.testdir());
  const { store } = openWatched(path);
  store.openGeneration({ ...GENERATION, generation: 1 });
  store.openGeneration({ ...GENERATION, generation: 2 });
  store.openGeneration({ ...GENERATION, generation: 3 });
  store.record(diedAt(1));
  store.closeGeneration('coder', 3);
  store.close();
  const next = openWatched(path).store;
  t.strictSame(
    next.load().open.map((one) => one.generation),
    [2],
  );
  t.equal(next.load().generations.get('coder'), 3);
  next.close();
});

t.test('an operator’s start forgets deaths for the judge, not for the history', async (t) => {
  const path = pathIn(t.testdir());
  const { store } = openWatched(path);
  store.record(diedAt(1));
  store.record(diedAt(2));
  store.clearDeaths('coder');
  store.record(diedAt(3));
  store.close();
  const next = openWatched(path).store;
  t.strictSame(
    next
      .load()
      .deaths.get('coder')
      ?.map((death) => death.generation),
    [3],
  );
  t.equal(next.load().counters.get('coder')?.failure, 3);
  t.equal(next.history({ limit: 10 }).length, 3);
  next.close();
});

t.test('history is newest first and can be narrowed', async (t) => {
  const { store } = openWatched(pathIn(t.testdir()));
  for (let cursor = 1; cursor <= 6; cursor++) {
    store.record(phaseAt(cursor, cursor % 2 === 0 ? 'even' : 'odd'));
  }
  const cursors = (query: Parameters<typeof store.history>[0]) =>
    store.history(query).map((row) => row.cursor);
  const check = (what: string) => {
    t.strictSame(cursors({ limit: 2 }), [6, 5], what);
    t.strictSame(cursors({ limit: 9, profile: 'even' }), [6, 4, 2], what);
    t.strictSame(cursors({ limit: 9, sinceMs: 5000 }), [6, 5], what);
    t.strictSame(cursors({ limit: 9, afterCursor: 3 }), [6, 5, 4], what);
    t.strictSame(
      store.eventsAfter(2, 3).map((one) => one.cursor),
      [3, 4, 5],
      what,
    );
  };
  check('while it waits in memory');
  await new Promise((resolve) => setImmediate(resolve));
  check('on disk');
  t.equal(store.history({ limit: 1 })[0]?.at, '1970-01-01T00:00:06.000Z');
  store.close();
});

t.test('what is kept is bounded, and counters survive what is not', async (t) => {
  const path = pathIn(t.testdir());
  const bounds = { maxEvents: 50, maxDeathsPerProfile: 10, maxGenerationsPerProfile: 5 };
  const { store } = openWatched(path, { bounds });
  for (let cursor = 1; cursor <= 400; cursor++) {
    store.openGeneration({ ...GENERATION, generation: cursor });
    store.record(diedAt(cursor));
    await new Promise((resolve) => setImmediate(resolve));
  }
  store.close();
  const db = new Database(path, { readonly: true });
  const count = (table: string) =>
    Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  t.ok(count('events') <= 52, `${count('events')} events`);
  t.ok(count('deaths') <= 12, `${count('deaths')} deaths`);
  t.ok(count('generations') <= 7, `${count('generations')} generations`);
  db.close();
  const next = openWatched(path).store;
  t.equal(next.load().counters.get('coder')?.failure, 400);
  t.equal(next.load().nextCursor, 401);
  t.equal(next.load().generations.get('coder'), 400);
  next.close();
});

t.test('a store of a newer version is refused with 78 and left alone', async (t) => {
  const path = pathIn(t.testdir());
  openWatched(path).store.close();
  const db = new Database(path);
  db.pragma('user_version = 999');
  db.close();
  t.throws(() => openWatched(path), {
    code: 'schema-newer',
    exitCode: 78,
    details: { got: '999' },
  });
});

t.test('a file that is no database is refused and left alone', async (t) => {
  const dir = t.testdir({ state: {} });
  writeFileSync(pathIn(dir), 'this is not a database at all '.repeat(100));
  t.throws(() => openWatched(pathIn(dir)), { code: 'store-corrupt' });
  t.equal(statSync(pathIn(dir)).size, 3000);
});

t.test('one write that SQLite refuses does not hold up the others', async (t) => {
  const { store, failings } = openWatched(pathIn(t.testdir()));
  store.setDesired('coder', 'sideways' as never, 'cli');
  store.record(phaseAt(1));
  store.setDesired('writer', 'running', 'cli');
  t.equal(store.failing(), undefined);
  t.equal(store.lost(), 1);
  t.strictSame([...store.load().desired.keys()], ['writer']);
  t.strictSame(failings, []);
  store.close();
});

t.test(
  'a database that is deleted under its writer is written again, with all it held',
  async (t) => {
    const path = pathIn(t.testdir());
    const first = openWatched(path).store;
    first.setDesired('coder', 'stopped', 'cli');
    first.record(diedAt(1));
    await new Promise((resolve) => setImmediate(resolve));
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    first.setDesired('writer', 'stopped', 'cli');
    t.equal(first.failing(), undefined);
    t.equal(statSync(path).mode & 0o777, 0o600);
    first.close();
    const { store } = openWatched(path);
    const { desired, counters } = store.load();
    t.strictSame([...desired.keys()].sort(), ['coder', 'writer']);
    t.equal(counters.get('coder')?.failure, 1);
    store.close();
  },
);

t.test('a database that is replaced by another is told, and the other one is used', async (t) => {
  const path = pathIn(t.testdir());
  const watched = openWatched(path, { retryMs: 1 });
  watched.store.setDesired('coder', 'stopped', 'cli');
  const other = openWatched(`${path}.other`).store;
  other.setDesired('restored', 'stopped', 'cli');
  other.close();
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  renameSync(`${path}.other`, path);
  watched.store.setDesired('writer', 'stopped', 'cli');
  t.match(watched.store.failing(), /replaced by another file/);
  await until('it goes on', () => watched.store.failing() === undefined);
  t.strictSame([...watched.store.load().desired.keys()].sort(), ['restored', 'writer']);
  watched.store.close();
});
