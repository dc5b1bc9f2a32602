import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import {
  readCounters,
  readDeaths,
  readDesired,
  readHistory,
  readStoredState,
} from '../../../src/store/index.js';
import { mergeWal } from '../../../src/store/wal-image.js';
import { startFixture } from '../../support/fixture-process.js';
import { diedAt, openWatched } from '../../support/store-events.js';
import { until } from '../../support/until.js';

function traceOf(path: string): string {
  return readdirSync(dirname(path))
    .map((name) => [name, statSync(join(dirname(path), name))] as const)
    .map(([name, stat]) => `${name} ${stat.size} ${stat.mtimeMs} ${stat.ino}`)
    .join('\n');
}

t.test(
  'what a supervisor wrote before it was killed is there, and reading leaves no trace',
  async (t) => {
    const path = join(t.testdir(), 'supervisor.db');
    for (let round = 0; round < 2; round++) {
      const writer = startFixture(t, 'store/records-for-ever', [path]);
      await until('it has written a good deal', () => writer.lines.length >= 20);
      await writer.kill();
      const acknowledged = Number(writer.lines.at(-1));
      t.ok(existsSync(`${path}-wal`), 'it left its log unfinished');
      const before = traceOf(path);
      const { rows } = readHistory(path, { limit: 10_000 });
      t.equal(traceOf(path), before);
      const newest = rows[0]?.cursor ?? 0;
      // what was said in the turn of the loop that was killed may be lost: at most ten events
      t.ok(newest >= acknowledged - 10, `${newest} of ${acknowledged}`);
      t.strictSame(
        rows.map((row) => row.cursor),
        countdown(newest),
        'without a hole',
      );
    }
    const { store } = openWatched(path);
    t.ok(store.load().nextCursor > 2000, 'and the next supervisor goes on from there');
    store.close();
    const db = new Database(path);
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    db.close();
  },
);

function countdown(from: number): number[] {
  return Array.from({ length: from }, (_, index) => from - index);
}

t.test('after a clean stop everything can be read and nothing appears', async (t) => {
  const path = join(t.testdir(), 'supervisor.db');
  const { store } = openWatched(path);
  store.setDesired('coder', 'stopped', 'cli');
  store.record(diedAt(1));
  store.record(diedAt(2, 'coder', 'oom'));
  store.close();
  const before = traceOf(path);
  t.strictSame(
    readDeaths(path, 'coder', 1).map((death) => death.cause),
    ['oom'],
  );
  t.equal(readDesired(path).get('coder')?.desired, 'stopped');
  t.equal(readCounters(path).get('coder')?.oom, 1);
  t.equal(readStoredState(path)?.nextCursor, 3);
  t.equal(readStoredState(path)?.newestDeaths.get('coder')?.cause, 'oom');
  t.equal(readHistory(path, { limit: 5 }).counters.coder?.failure, 1);
  t.equal(traceOf(path), before);
});

t.test('a store that was never there reads as empty', async (t) => {
  const path = join(t.testdir({ empty: '' }), 'none', 'supervisor.db');
  t.strictSame(readHistory(path, { limit: 5 }), { rows: [], counters: {} });
  t.strictSame(readDeaths(path, 'coder', 5), []);
  t.equal(readStoredState(path), undefined);
  t.equal(readStoredState(join(path, '..', '..', 'empty')), undefined);
});

t.test('a file that is no database is told, not guessed', async (t) => {
  const dir = t.testdir({ broken: 'nonsense '.repeat(1000), directory: {} });
  t.throws(() => readDesired(join(dir, 'broken')), { code: 'store-corrupt' });
  t.throws(() => readDesired(join(dir, 'directory')), { code: 'io-failed' });
});

t.test('a merged log shows what SQLite itself shows, at every length it may have', async (t) => {
  const path = join(t.testdir(), 'x.db');
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE rows (n INTEGER, text TEXT)');
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?)');
  const sizes = [0];
  for (let n = 1; n <= 12; n++) {
    insert.run(n, 'x'.repeat(n * 500));
    if (n === 6) db.exec('DELETE FROM rows WHERE n = 3; VACUUM');
    sizes.push(statSync(`${path}-wal`).size);
  }
  const main = readFileSync(path);
  const wal = readFileSync(`${path}-wal`);
  const expected = db.prepare('SELECT n FROM rows ORDER BY n').pluck().all();
  db.close();
  const rowsOf = (bytes: Buffer) => {
    const image = new Database(mergeWal(main, bytes));
    try {
      t.equal(image.pragma('integrity_check', { simple: true }), 'ok');
      return image.prepare('SELECT n FROM rows ORDER BY n').pluck().all();
    } finally {
      image.close();
    }
  };
  t.strictSame(rowsOf(wal), expected);
  for (const size of sizes.slice(2)) {
    const cut = rowsOf(wal.subarray(0, size));
    t.strictSame(rowsOf(wal.subarray(0, size + 1000)), cut, 'half a frame is no frame');
  }
  const flipped = Buffer.from(wal);
  const last = sizes.at(-2) ?? 0;
  flipped[last + 100] = (flipped[last + 100] ?? 0) ^ 1;
  t.strictSame(rowsOf(flipped), rowsOf(wal.subarray(0, last)), 'a damaged commit never happened');
});
