import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { GatewardenError } from '../../../../src/core/errors.js';
import { EXIT } from '../../../../src/core/exit-codes.js';
import { openDatabase } from '../../../../src/gateway/sessions/open.js';
import { MIGRATIONS, SCHEMA_VERSION } from '../../../../src/gateway/sessions/schema.js';
import { shortDir } from '../../../support/gateway-assignment.js';

async function refusal(path: string): Promise<GatewardenError> {
  const thrown = await openDatabase(path).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof GatewardenError) return thrown;
  throw new Error(`expected a refusal, got ${thrown}`);
}

t.test('a new store is private, in its side files too, and opens again', async (t) => {
  const path = join(shortDir(t), 'state', 'state.db');
  const database = await openDatabase(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    t.equal(statSync(file).mode & 0o777, 0o600, file);
  }
  t.equal(database.pragma('journal_mode', { simple: true }), 'wal');
  t.equal(database.pragma('synchronous', { simple: true }), 1, 'NORMAL');
  database.close();
  chmodSync(path, 0o644);
  (await openDatabase(path)).close();
  t.equal(statSync(path).mode & 0o777, 0o600, 'a lax mode is tightened');
});

t.test('a store of the first version is brought up to date with all that it holds', async (t) => {
  const path = join(shortDir(t), 'state.db');
  const old = new Database(path);
  old.exec(MIGRATIONS[0] ?? '');
  old.exec(`CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
    INSERT INTO schema_version VALUES (1);
    INSERT INTO sessions (id, session_key, platform, started_at, last_activity_at)
      VALUES ('s', 'k', 'local', 1, 1);
    INSERT INTO messages (session_id, turn_id, role, content, status, timestamp)
      VALUES ('s', 't', 'user', 'hello', 'answered', 1);`);
  old.close();
  const database = await openDatabase(path);
  t.match(database.prepare('SELECT content, display_kind FROM messages').all(), [
    { content: 'hello', display_kind: null },
  ]);
  t.equal(database.prepare('SELECT version FROM schema_version').pluck().get(), SCHEMA_VERSION);
  database.close();
});

t.test('a store of a newer version is refused for good', async (t) => {
  const path = join(shortDir(t), 'state.db');
  const database = await openDatabase(path);
  database.prepare('UPDATE schema_version SET version = ?').run(SCHEMA_VERSION + 1);
  database.close();
  const error = await refusal(path);
  t.equal(error.code, 'schema-newer');
  t.equal(error.exitCode, EXIT.config);
  t.match(error.message, `got ${SCHEMA_VERSION + 1}`);
});

t.test('a file that is no database, or not ours, is refused for good', async (t) => {
  const directory = shortDir(t);
  const garbage = join(directory, 'garbage.db');
  writeFileSync(garbage, 'this is not a database at all, only some text '.repeat(50));
  const foreign = join(directory, 'foreign.db');
  new Database(foreign).exec('CREATE TABLE something (x)').close();
  for (const path of [garbage, foreign]) {
    const error = await refusal(path);
    t.equal(error.code, 'store-corrupt');
    t.equal(error.exitCode, EXIT.config);
    t.match(error.message, path);
    t.match(error.next, /move it away/);
  }
});

t.test('a directory in its place is refused for good', async (t) => {
  const path = join(shortDir(t), 'state.db');
  mkdirSync(path);
  const error = await refusal(path);
  t.equal(error.code, 'home-unusable');
  t.equal(error.exitCode, EXIT.config);
});
