import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { openDatabase } from '../../../../src/gateway/sessions/open.js';
import type {
  SessionRecord,
  StoreWrite,
  TurnStatus,
} from '../../../../src/gateway/sessions/records.js';
import { openSessionStore, SessionStore } from '../../../../src/gateway/sessions/store.js';
import { shortDir } from '../../../support/gateway-assignment.js';
import { until } from '../../../support/gateway-within.js';

const KEY = 'agent:main:local:dm';

function session(id: string): SessionRecord {
  return {
    id,
    key: KEY,
    platform: 'local',
    chatId: undefined,
    startedAt: 1,
    resumePending: false,
    suspended: false,
  };
}

function opens(id: string): StoreWrite {
  return { kind: 'open-session', session: session(id), ended: undefined };
}

function asks(sessionId: string, turnId: string, platformMessageId?: string): StoreWrite {
  const content = `question ${turnId}`;
  return {
    kind: 'message-in',
    message: { sessionId, turnId, content, at: 2, platformMessageId, displayKind: undefined },
  };
}

function ends(sessionId: string, turnId: string, status: TurnStatus = 'answered'): StoreWrite {
  return {
    kind: 'turn-over',
    result: {
      sessionId,
      turnId,
      status,
      question: `question ${turnId}`,
      text: `answer ${turnId}`,
      finishReason: 'stop',
      usage: { promptTokens: 3, completionTokens: 2 },
      at: 3,
    },
  };
}

async function openHere(t: { teardown(action: () => unknown): unknown }) {
  const path = join(shortDir(t), 'state.db');
  const health: (string | undefined)[] = [];
  const onHealth = (trouble: string | undefined) => health.push(trouble);
  const store = await openSessionStore({ path, onHealth });
  t.teardown(() => store.close());
  return { path, store, health };
}

t.test('a conversation is there again after reopening, oldest first, newest kept', async (t) => {
  const { path, store } = await openHere(t);
  store.write(opens('s1'));
  for (const turn of ['t1', 't2', 't3']) store.write(asks('s1', turn), ends('s1', turn));
  store.close();
  const again = await openSessionStore({ path, onHealth: () => {} });
  t.teardown(() => again.close());
  t.match(again.openSession(KEY), { id: 's1', resumePending: false });
  t.strictSame(again.history('s1', 3), [
    { role: 'assistant', content: 'answer t2' },
    { role: 'user', content: 'question t3' },
    { role: 'assistant', content: 'answer t3' },
  ]);
  t.strictSame(again.history('s1', 0), []);
  const database = new Database(path, { readonly: true });
  t.match(database.prepare('SELECT * FROM sessions').get(), {
    message_count: 6,
    turn_count: 3,
    prompt_tokens: 9,
    completion_tokens: 6,
    last_activity_at: 3,
  });
  database.close();
});

t.test('a failed question is left out of the history, an interrupted one is kept', async (t) => {
  const { store } = await openHere(t);
  store.write(opens('s1'), asks('s1', 't1'), ends('s1', 't1', 'interrupted'));
  store.write(asks('s1', 't2'), ends('s1', 't2', 'failed'), asks('s1', 't3'));
  t.strictSame(store.history('s1', 10), [
    { role: 'user', content: 'question t1' },
    { role: 'assistant', content: 'answer t1' },
  ]);
});

t.test('a renewed conversation gets a new session, the old one keeps its end', async (t) => {
  const { store } = await openHere(t);
  store.write(opens('s1'), { kind: 'end-session', key: KEY, at: 9, reason: 'new_session' });
  t.equal(store.openSession(KEY), undefined);
  store.write(opens('s2'));
  t.equal(store.openSession(KEY)?.id, 's2');
});

t.test('a turn that a crash cut off is marked when the store opens again', async (t) => {
  const { path, store } = await openHere(t);
  store.write(opens('s1'), asks('s1', 't1', 'm1'));
  t.equal(store.hasTaken(KEY, 'm1'), true, 'it runs');
  store.close();
  const again = await openSessionStore({ path, onHealth: () => {} });
  t.teardown(() => again.close());
  t.equal(again.recovered, 1);
  t.equal(again.openSession(KEY)?.resumePending, true);
  t.strictSame(again.history('s1', 5), [{ role: 'user', content: 'question t1' }]);
  t.equal(again.hasTaken(KEY, 'm1'), false, 'it was not answered, so it may come again');
});

t.test('the id of an answered message is remembered in its own conversation only', async (t) => {
  const { store } = await openHere(t);
  store.write(opens('s1'), asks('s1', 't1', 'm1'), ends('s1', 't1'));
  t.equal(store.hasTaken(KEY, 'm1'), true);
  t.equal(store.hasTaken('agent:main:local:dm:other', 'm1'), false);
});

t.test('while the disk takes no writes they wait, are seen, and come in together', async (t) => {
  const path = join(shortDir(t), 'state.db');
  const database = await openDatabase(path);
  const health: (string | undefined)[] = [];
  const onHealth = (trouble: string | undefined) => health.push(trouble);
  const store = new SessionStore(database, { path, onHealth, retryMs: 20 });
  t.teardown(() => store.close());
  store.write(opens('s1'), asks('s1', 't1'));
  const pages = database.pragma('page_count', { simple: true }) as number;
  // a disk that is full as SQLite sees it: not one page more
  database.pragma(`max_page_count = ${pages}`);
  const long: StoreWrite = { ...ends('s1', 't1') };
  const big = 'x'.repeat(100_000);
  if (long.kind === 'turn-over') store.write({ ...long, result: { ...long.result, text: big } });
  t.match(health, [/not being saved: .*full.*SQLITE_FULL.*1 writes wait/]);
  store.write(asks('s1', 't2'), ends('s1', 't2'), {
    kind: 'mark-resume',
    sessionIds: ['s1'],
    reason: 'shutdown_timeout',
    at: 1,
  });
  t.equal(store.openSession(KEY)?.resumePending, true);
  t.strictSame(store.history('s1', 10), [
    { role: 'user', content: 'question t1' },
    { role: 'assistant', content: big },
    { role: 'user', content: 'question t2' },
    { role: 'assistant', content: 'answer t2' },
  ]);
  database.pragma('max_page_count = 1000000');
  await until(() => health.at(-1) === undefined && health.length > 1, 'the recovery by itself');
  t.equal(store.history('s1', 10).length, 4);
  t.equal(store.close(), 0, 'nothing was lost');
});

t.test('what never found room is counted when the store closes', async (t) => {
  const path = join(shortDir(t), 'state.db');
  const database = await openDatabase(path);
  const store = new SessionStore(database, { path, onHealth: () => {}, maxWaiting: 2 });
  database.pragma('query_only = ON');
  store.write(opens('s1'));
  store.write(asks('s1', 't1'), ends('s1', 't1'));
  t.equal(store.openSession(KEY)?.id, 's1', 'the oldest are kept');
  t.equal(store.close(), 3);
  t.equal(store.close(), 0, 'may be closed twice');
});

t.test('a history that cannot be read is an error, never an empty one', async (t) => {
  const { path, store } = await openHere(t);
  store.write(opens('s1'), asks('s1', 't1'), ends('s1', 't1'));
  store.close();
  overwriteTable(path, 'messages');
  const damaged = await openSessionStore({ path, onHealth: () => {} });
  t.teardown(() => damaged.close());
  t.equal(damaged.openSession(KEY)?.id, 's1');
  t.throws(() => damaged.history('s1', 10), { code: 'io-failed' });
});

/** Garbage over the first page of the table, as a dying disk leaves it. */
function overwriteTable(path: string, table: string): void {
  const database = new Database(path);
  const find = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck();
  const page = Number(find.get(table));
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 0xaa), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
}

t.test('a database is checked only when whoever wrote it ended without a word', async (t) => {
  const path = join(shortDir(t), 'state.db');
  const options = { path, onHealth: () => {} };
  const store = await openSessionStore(options);
  store.close();
  const file = new Database(path);
  // what no start reads
  file.exec("CREATE TABLE unread (x); INSERT INTO unread VALUES ('x')");
  const roots = file.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'unread'").pluck();
  const page = Number(roots.get());
  const pageBytes = Number(file.pragma('page_size', { simple: true }));
  file.close();
  const damaged = readFileSync(path);
  damaged.fill(0xab, (page - 1) * pageBytes, page * pageBytes);
  writeFileSync(path, damaged);
  const unchecked = await openSessionStore(options);
  unchecked.close();
  await t.rejects(openSessionStore({ ...options, isSuspect: true }), {
    code: 'store-corrupt',
    exitCode: 78,
  });
});

t.test('the proof of a writer fails while something waits, and tells how long', async (t) => {
  const { path, store } = await openHere(t);
  store.prove();
  const other = new Database(path);
  t.teardown(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  t.throws(() => store.prove(), /locked/, 'nothing waits, but nothing could be written');
  store.write(opens('s1'));
  t.throws(() => store.prove(), /^1 write waits, the oldest for \S+/);
  other.exec('ROLLBACK');
  store.prove();
  t.equal(new Database(path).prepare('SELECT count(*) FROM sessions').pluck().get(), 1);
});

t.test('a store that is opened again brings in what waited, and nothing twice', async (t) => {
  const { path, store } = await openHere(t);
  const other = new Database(path);
  t.teardown(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  store.write(opens('s1'), asks('s1', 't1'));
  other.exec('ROLLBACK');
  await store.reopen();
  store.prove();
  t.match(store.openSession(KEY), { id: 's1' });
  store.write(ends('s1', 't1'));
  t.equal(other.prepare('SELECT count(*) FROM sessions').pluck().get(), 1);
  t.equal(store.close(), 0);
  await store.reopen();
  t.equal(store.close(), 0, 'what was closed stays closed');
});
