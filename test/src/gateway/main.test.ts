import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import type { AgentSettings, GatewayAssignment } from '../../../src/core/assignment.js';
import { EXIT } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { API, assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { ChatClient } from '../../support/gateway-chat-client.js';
import { bootWorker, type ForkedGateway, GatewayPrimary } from '../../support/gateway-primary.js';
import { isAlive } from '../../support/gateway-processes.js';
import { until } from '../../support/gateway-within.js';

const primary = new GatewayPrimary();
t.teardown(() => primary.close());

type Test = { teardown(action: () => unknown): unknown };

const boot = (t: Test) => bootWorker(t, primary);

async function bootAs(t: Test, assignment: GatewayAssignment) {
  const worker = await boot(t);
  worker.assign(assignment);
  const { report } = await worker.said('ready');
  const url = report.listen.find((where) => where.startsWith('http')) ?? '';
  return { worker, url };
}

/** A program that answers once the file exists. */
function waitsFor(file: string): AgentSettings {
  const argv = [
    'sh',
    '-c',
    `printf begun; while [ ! -e ${file} ]; do sleep 0.02; done; printf ' done'`,
  ];
  return { driver: 'command', argv, cwd: undefined, timeoutMs: 60_000, historyMessages: 5 };
}

function ask(url: string, text: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Gatewarden-Session-Key': 'chat' },
    body: JSON.stringify({ messages: [{ role: 'user', content: text }] }),
  });
}

async function textOf(response: Response): Promise<unknown> {
  const body = (await response.json()) as { choices?: [{ message: { content: string } }] };
  return body.choices?.[0].message.content ?? body;
}

function sessionRow(home: string): unknown {
  const database = new Database(join(home, 'state', 'state.db'), { readonly: true });
  try {
    return database.prepare('SELECT resume_pending, resume_reason FROM sessions').get();
  } finally {
    database.close();
  }
}

t.test('a worker is nobody until it is assigned, then answers over both platforms', async (t) => {
  const home = shortDir(t);
  const worker = await boot(t);
  t.equal(worker.messages.length, 1, 'it has said hello and waits');
  worker.assign(assignmentIn(home));
  const { report } = await worker.said('ready');
  t.match(report, {
    platforms: [
      { name: 'api-server', state: 'connected' },
      { name: 'local', state: 'connected' },
    ],
    work: [],
    listen: [/^http:\/\/127\.0\.0\.1:\d+$/, join(home, 'local.sock')],
  });
  const phases = worker.messages.filter(({ code }) => code === 'phase');
  t.ok(phases.length >= 3, 'phases while it started');
  t.match(readFileSync(`/proc/${worker.pid}/cmdline`, 'utf8'), /^gatewarden: gateway default/);
  t.equal(await textOf(await ask(report.listen[0] ?? '', 'hello')), 'hello');
  const client = new ChatClient(join(home, 'local.sock'));
  client.send({ code: 'message', text: 'over the socket' });
  t.equal((await client.line('final')).text, 'over the socket');
  client.socket.destroy();
  worker.send({ code: 'drain', reason: 'stop', budgetMs: 5000 });
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
  t.equal(worker.stderr, '');
});

const ENDS: readonly (readonly [string, (worker: ForkedGateway) => void, number])[] = [
  [
    'a drain to stop',
    (worker) => worker.send({ code: 'drain', reason: 'stop', budgetMs: 5000 }),
    EXIT.done,
  ],
  [
    'a drain to restart',
    (worker) => worker.send({ code: 'drain', reason: 'restart', budgetMs: 5000 }),
    EXIT.planned,
  ],
  ['SIGTERM', (worker) => void process.kill(worker.pid, 'SIGTERM'), EXIT.done],
  ['SIGUSR2', (worker) => void process.kill(worker.pid, 'SIGUSR2'), EXIT.planned],
  ['the loss of the supervisor', (worker) => worker.worker.disconnect(), EXIT.done],
];
for (const [name, end, code] of ENDS) {
  t.test(`${name} ends a gateway with ${code}, a turn finishes first`, async (t) => {
    const home = shortDir(t);
    const go = join(home, 'go');
    const { worker, url } = await bootAs(
      t,
      assignmentIn(home, { agent: waitsFor(go), apiServer: API }),
    );
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    end(worker);
    await until(() => existsSync(join(home, 'state', 'state.db')) && isMarked(home), 'the mark');
    writeFileSync(go, '');
    t.equal(await textOf(await answer), 'begun done');
    t.strictSame(await worker.gone(), { code, signal: null });
    t.match(sessionRow(home), { resume_pending: 0, resume_reason: null });
  });

  t.test(`${name} ends a worker that is nobody yet with ${code}`, async (t) => {
    const worker = await boot(t);
    end(worker);
    t.strictSame(await worker.gone(), { code, signal: null });
  });
}

function isMarked(home: string): boolean {
  return (sessionRow(home) as { resume_pending?: number } | undefined)?.resume_pending === 1;
}

t.test('SIGINT of the terminal is not ours to answer', async (t) => {
  const { worker, url } = await bootAs(t, assignmentIn(shortDir(t)));
  process.kill(worker.pid, 'SIGINT');
  t.equal(await textOf(await ask(url, 'still here')), 'still here');
});

t.test(
  'a turn that outlives the budget is cut off, told to retry, and its session marked',
  async (t) => {
    const home = shortDir(t);
    const agent = waitsFor(join(home, 'never'));
    const { worker, url } = await bootAs(t, assignmentIn(home, { agent }));
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    worker.send({ code: 'drain', reason: 'restart', budgetMs: 100 });
    const response = await answer;
    t.equal(response.status, 503);
    t.equal(response.headers.get('Retry-After'), '1');
    t.match(await response.json(), { error: { code: 'turn-interrupted' } });
    t.strictSame(await worker.gone(), { code: EXIT.planned, signal: null });
    t.match(sessionRow(home), { resume_pending: 1, resume_reason: 'restart_timeout' });
  },
);

t.test('hurry cuts a long drain short, and so does a second SIGTERM', async (t) => {
  for (const hurry of [
    (worker: ForkedGateway) => worker.send({ code: 'hurry' }),
    (worker: ForkedGateway) => void process.kill(worker.pid, 'SIGTERM'),
  ]) {
    const home = shortDir(t);
    const { worker, url } = await bootAs(
      t,
      assignmentIn(home, { agent: waitsFor(join(home, 'never')), drainMs: 600_000 }),
    );
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    process.kill(worker.pid, 'SIGTERM');
    await until(() => isMarked(home), 'the mark');
    hurry(worker);
    t.equal((await answer).status, 503);
    t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
  }
});

t.test('a gateway that was killed in a turn leaves a conversation that goes on', async (t) => {
  const home = shortDir(t);
  const first = await bootAs(t, assignmentIn(home, { agent: waitsFor(join(home, 'never')) }));
  ask(first.url, 'hello').catch(() => {});
  await first.worker.said('report', ({ report }) => report.work.length === 1);
  process.kill(first.worker.pid, 'SIGKILL');
  await first.worker.gone();
  const second = await bootAs(t, assignmentIn(home));
  t.match(sessionRow(home), { resume_pending: 1, resume_reason: 'restart_interrupted' });
  t.equal(await textOf(await ask(second.url, 'again')), 'again');
  t.match(sessionRow(home), { resume_pending: 0 });
});

t.test('a connection that comes during a restart is answered by the next generation', async (t) => {
  const home = shortDir(t);
  const first = await bootAs(t, assignmentIn(home));
  first.worker.drain('restart', 1000);
  const waiting = ask(first.url, 'in between');
  t.strictSame(await first.worker.gone(), { code: EXIT.planned, signal: null });
  const second = await bootAs(t, assignmentIn(home));
  t.equal(second.url, first.url, 'the address is kept');
  t.equal(await textOf(await waiting), 'in between');
});

t.test('a supervisor that is killed leaves no gateway behind', async (t) => {
  const home = shortDir(t);
  const script = `
    import { GatewayPrimary } from ${JSON.stringify(packageFile('dist', 'test', 'support', 'gateway-primary.js'))};
    const primary = new GatewayPrimary();
    const workers = [primary.fork(), primary.fork()];
    for (const worker of workers) await worker.said('hello');
    workers[0].assign(${JSON.stringify(assignmentIn(home, { drainMs: 600_000, agent: waitsFor(join(home, 'never')) }))});
    const { report } = await workers[0].said('ready');
    console.log(JSON.stringify({ pids: workers.map(({ pid }) => pid), url: report.listen[0] }));
  `;
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(supervisor.stdout, 'data')) as [Buffer];
  const { pids, url } = JSON.parse(line.toString()) as { pids: number[]; url: string };
  ask(url, 'hangs for ever').catch(() => {});
  const database = () =>
    existsSync(join(home, 'state', 'state.db')) && sessionRow(home) !== undefined;
  await until(database, 'the turn');
  supervisor.kill('SIGKILL');
  for (const pid of pids) await until(() => !isAlive(pid), `the end of ${pid}`);
  t.match(sessionRow(home), { resume_pending: 1, resume_reason: 'shutdown_timeout' });
});

t.test('a reader of its output that goes away does not end it', async (t) => {
  const { worker, url } = await bootAs(t, assignmentIn(shortDir(t)));
  worker.worker.process.stdout?.destroy();
  worker.worker.process.stderr?.destroy();
  t.equal(await textOf(await ask(url, 'unheard')), 'unheard');
  worker.send({ code: 'drain', reason: 'stop', budgetMs: 1000 });
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
});

t.test('messages out of the contract are a bug that is told', async (t) => {
  const worker = await boot(t);
  worker.worker.process.send?.({ code: 'drain', reason: 5 }, undefined, undefined, () => {});
  t.match(await worker.said('farewell'), { exitCode: EXIT.bug, detail: /code drain/ });
  t.strictSame(await worker.gone(), { code: EXIT.bug, signal: null });
});

t.test('messages of others on the channel are nothing to us', async (t) => {
  const worker = await boot(t);
  worker.worker.process.send?.({ hello: 'from a library' }, undefined, undefined, () => {});
  worker.send({ code: 'drain', reason: 'stop', budgetMs: 0 });
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
});

t.test('a second assignment is a bug that is told', async (t) => {
  const { worker } = await bootAs(t, assignmentIn(shortDir(t)));
  worker.assign(assignmentIn(shortDir(t), { profile: 'other' }));
  t.match(await worker.said('farewell'), {
    exitCode: EXIT.bug,
    detail: /second assignment, to other/,
  });
  t.strictSame(await worker.gone(), { code: EXIT.bug, signal: null });
});

t.test('a direct start is refused as wrong usage', async (t) => {
  const child = spawn(process.execPath, [packageFile('dist', 'bin', 'gateway.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  t.equal(code, EXIT.usage);
  t.match(stderr, /gatewarden gateway run -p NAME/);
});
