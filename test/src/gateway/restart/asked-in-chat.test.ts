import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { RESUME_TIMES } from '../../../../src/gateway/resume/resumer.js';
import { shortDir } from '../../../support/gateway-assignment.js';
import { ChatClient } from '../../../support/gateway-chat-client.js';
import { startGateway } from '../../../support/gateway-in-process.js';
import { until } from '../../../support/gateway-within.js';
import { waitsFor } from '../../../support/gateway-worker-asks.js';

interface Test {
  teardown(action: () => unknown): unknown;
}

function chat(t: Test, socket: string): ChatClient {
  const client = new ChatClient(socket);
  t.teardown(() => client.socket.destroy());
  return client;
}

function rows(home: string, sql: string): Record<string, unknown>[] {
  const database = new Database(join(home, 'state', 'state.db'), { readonly: true });
  try {
    return database.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

function edit(home: string, sql: string): void {
  const database = new Database(join(home, 'state', 'state.db'));
  database.exec(sql);
  database.close();
}

/** A gateway that was restarted in the middle of the turn `working`. */
async function cutOff(t: Test, reason: 'restart' | 'stop' = 'restart') {
  const first = await startGateway(t, { assignment: { agent: waitsFor('/nowhere/go') } });
  const client = chat(t, first.socket);
  client.send({ code: 'message', text: 'working', session: 'a' });
  await client.line('delta');
  await first.gateway.drain(reason, 0);
  return { home: first.home, before: client };
}

t.test('who asks for a restart has the answer before it begins', async (t) => {
  const { socket, told } = await startGateway(t);
  const client = chat(t, socket);
  client.send({ code: 'message', text: '/restart' });
  t.match(await client.line('final'), { turn: 'control', text: /^Restarting/ });
  await until(() => told.includes('restart wanted: /restart in local'), 'the wish');
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('error'), { error: { code: 'gateway-draining' }, turn: null });
  client.send({ code: 'message', text: '/restart' });
  t.match(await client.line('final', 2), { text: /under way already/ });
  t.equal(told.filter((line) => line.startsWith('restart wanted')).length, 1);
});

t.test('a conversation that was cut off is taken up, and its chat hears all of it', async (t) => {
  const { home, before } = await cutOff(t);
  t.match(await before.line('notice'), { session: 'a', text: /^The gateway restarts/ });
  const second = await startGateway(t, { home });
  const session = () => rows(home, 'SELECT * FROM sessions')[0];
  await until(() => session()?.resume_pending === 0, 'the answer');
  t.match(session(), { resume_attempts: 0, suspended: 0, ended_at: null });
  t.match(rows(home, "SELECT * FROM messages WHERE display_kind = 'auto_continue'"), [
    { role: 'user', status: 'answered', content: /^The gateway was restarted/ },
  ]);
  const client = chat(t, second.socket);
  client.send({ code: 'message', text: 'are you there?', session: 'a' });
  t.match(await client.line('notice', 1), { session: 'a', text: 'The gateway is back.' });
  t.match(await client.line('notice', 2), { session: 'a', turn: /^turn-/ });
  await client.line('final');
  t.equal(client.lines.filter(({ code }) => code === 'notice').length, 2, 'each once');
});

t.test('after a plain stop nobody hears that it is back, but it is taken up', async (t) => {
  const { home, before } = await cutOff(t, 'stop');
  t.match(await before.line('notice'), { text: /^The gateway goes down/ });
  const second = await startGateway(t, { home });
  await until(() => rows(home, 'SELECT * FROM sessions')[0]?.resume_pending === 0, 'the answer');
  const client = chat(t, second.socket);
  client.send({ code: 'message', text: 'hello', session: 'a' });
  await client.line('final');
  t.notOk(client.lines.some((line) => line.code === 'notice' && /is back/.test(line.text)));
});

t.test('a platform that wants no news of restarts gets none', async (t) => {
  const { socket, gateway } = await startGateway(t, {
    assignment: { agent: waitsFor('/nowhere/go'), lifecycleNotices: ['api-server'] },
  });
  const client = chat(t, socket);
  client.send({ code: 'message', text: 'working' });
  await client.line('delta');
  await gateway.drain('restart', 0);
  await client.closed();
  t.notOk(client.lines.some(({ code }) => code === 'notice'));
});

t.test('every try is counted before it begins, and the third restart sets it aside', async (t) => {
  const { home } = await cutOff(t);
  for (const attempts of [1, 2]) {
    const next = await startGateway(t, {
      home,
      assignment: {
        agent: waitsFor('/nowhere/go'),
        resume: { freshnessMs: 0, loopGuard: { maxRestarts: 0, windowMs: 0, maxGapMs: 0 } },
      },
    });
    const isAtWork = () => next.reports.at(-1)?.work.length === 1;
    await until(isAtWork, 'the turn that goes on');
    t.match(rows(home, 'SELECT * FROM sessions'), [{ resume_attempts: attempts }]);
    await next.gateway.drain('restart', 0);
  }
  const last = await startGateway(t, { home });
  t.match(rows(home, 'SELECT * FROM sessions'), [
    { suspended: 1, resume_pending: 0, resume_attempts: 0 },
  ]);
  const client = chat(t, last.socket);
  client.send({ code: 'message', text: 'hello', session: 'a' });
  t.match(await client.line('note'), { text: /this conversation off[\s\S]*a new one/ });
  t.match(await client.line('final'), { text: 'hello' });
  t.match(rows(home, 'SELECT end_reason FROM sessions ORDER BY started_at'), [
    { end_reason: 'suspended' },
    { end_reason: null },
  ]);
});

t.test('three starts in a row that find cut-off turns take nothing up any more', async (t) => {
  const { home } = await cutOff(t);
  const now = Date.now();
  edit(home, `INSERT INTO boots (at, interrupted) VALUES (${now - 9000}, 1), (${now - 5000}, 2)`);
  edit(home, `UPDATE sessions SET resume_marked_at = ${now}`);
  const { logLines, reports } = await startGateway(t, { home });
  t.ok(logLines.some((line) => line.includes('restarts go round in circles')));
  t.equal(reports.at(-1)?.work.length, 0);
  t.match(rows(home, 'SELECT * FROM sessions'), [{ resume_pending: 1, resume_attempts: 0 }]);
});

t.test('starts that cannot be read are no loop', async (t) => {
  const { home } = await cutOff(t);
  edit(home, 'DROP TABLE boots');
  edit(
    home,
    'CREATE TABLE boots (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER, interrupted INTEGER CHECK (interrupted < 0)) STRICT',
  );
  await startGateway(t, { home });
  await until(() => rows(home, 'SELECT * FROM sessions')[0]?.resume_pending === 0, 'the answer');
});

t.test('a message of the same conversation comes after what is taken up', async (t) => {
  const { home } = await cutOff(t);
  const second = await startGateway(t, { home });
  const client = chat(t, second.socket);
  client.send({ code: 'message', text: 'and now?', session: 'a' });
  await client.line('final');
  const said = rows(home, "SELECT display_kind FROM messages WHERE role = 'user' ORDER BY id");
  t.strictSame(
    said.map((row) => row.display_kind),
    [null, 'auto_continue', null],
  );
});

t.test('a marker file keeps new messages out, and its end lets them in again', async (t) => {
  const { home, socket, reports } = await startGateway(t, { timings: { drainRequestMs: 10 } });
  const marker = join(home, 'state', 'drain-request.json');
  const client = chat(t, socket);
  writeFileSync(marker, JSON.stringify({ action: 'drain', principal: 'deploy' }));
  await until(() => reports.at(-1)?.held?.by === 'deploy', 'the request');
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('error'), {
    turn: null,
    error: { code: 'gateway-draining' },
    retryAfterMs: Number,
  });
  rmSync(marker);
  await until(() => reports.at(-1)?.held === undefined, 'its end');
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('final'), { text: 'hello' });
  t.notOk(existsSync(marker));
});

t.test('a stop is stronger than the end of a marker file', async (t) => {
  const { home, gateway, reports } = await startGateway(t, { timings: { drainRequestMs: 10 } });
  const marker = join(home, 'state', 'drain-request.json');
  writeFileSync(marker, '');
  await until(() => reports.at(-1)?.held?.by === 'a file', 'the request');
  const drained = gateway.drain('stop', 1000);
  rmSync(marker);
  t.match(await drained, { clean: true });
});

t.test('many that were cut off are taken up a few at a time, and none is forgotten', async (t) => {
  const count = RESUME_TIMES.atOnce + 3;
  const first = await startGateway(t, { assignment: { agent: waitsFor('/nowhere/go') } });
  const client = chat(t, first.socket);
  for (let nth = 0; nth < count; nth++) {
    client.send({ code: 'message', text: 'working', session: `s${nth}` });
  }
  await client.line('delta', count);
  await first.gateway.drain('restart', 0);
  const { home } = first;
  const go = join(home, 'go');
  const resume = { freshnessMs: 0, loopGuard: { maxRestarts: 0, windowMs: 0, maxGapMs: 0 } };
  const assignment = { agent: waitsFor(go), resume };
  const tried = () => rows(home, 'SELECT * FROM sessions WHERE resume_attempts = 1').length;

  const second = await startGateway(t, { home, assignment });
  await until(() => tried() === RESUME_TIMES.atOnce, 'the first of them');
  await second.gateway.drain('restart', 0);
  t.equal(tried(), RESUME_TIMES.atOnce, 'who still waited has not been tried');

  const third = await startGateway(t, { home, assignment });
  writeFileSync(go, '');
  const pending = () => rows(home, 'SELECT * FROM sessions WHERE resume_pending = 1').length;
  await until(() => pending() === 0, 'all of them');
  const busiest = Math.max(...third.reports.map(({ work }) => work.length));
  t.ok(busiest <= RESUME_TIMES.atOnce, `${busiest} at once`);
});

t.test('a restart asked for in a chat lets the others finish first', async (t) => {
  const go = join(shortDir(t), 'go');
  const { socket, told } = await startGateway(t, { assignment: { agent: waitsFor(go) } });
  const working = chat(t, socket);
  working.send({ code: 'message', text: 'working', session: 'w' });
  await working.line('delta');
  const asking = chat(t, socket);
  asking.send({ code: 'message', text: '/restart', session: 'r' });
  await asking.line('final');
  asking.send({ code: 'message', text: 'hello', session: 'r' });
  t.match(await asking.line('error'), { error: { code: 'gateway-draining' } });
  t.notOk(told.some((line) => line.startsWith('restart wanted')));
  writeFileSync(go, '');
  t.match(await working.line('final'), { text: 'begun done' });
  await until(() => told.includes('restart wanted: /restart in local (r)'), 'the wish');
});
