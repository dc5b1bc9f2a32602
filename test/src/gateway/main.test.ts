import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { ChatClient } from '../../support/gateway-chat-client.js';
import { bootWorker, GatewayPrimary } from '../../support/gateway-primary.js';
import { isAlive } from '../../support/gateway-processes.js';
import { until } from '../../support/gateway-within.js';

import { ask, bootAs, sessionRow, textOf, waitsFor } from '../../support/gateway-worker-asks.js';

const primary = new GatewayPrimary();
t.teardown(() => primary.close());

t.test('a worker is nobody until it is assigned, then answers over both platforms', async (t) => {
  const home = shortDir(t);
  const worker = await bootWorker(t, primary);
  t.equal(worker.messages.length, 1, 'it has said hello and waits');
  worker.assign(assignmentIn(home));
  const { report } = await worker.said('ready');
  t.match(report, {
    platforms: [
      { name: 'api-server', state: 'connected' },
      { name: 'local', state: 'connected' },
    ],
    work: [],
    listen: [/^http:\/\/127\.0\.0\.1:\d+$/, `unix:${join(home, 'local.sock')}`],
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

t.test('SIGINT of the terminal is not ours to answer', async (t) => {
  const { worker, url } = await bootAs(t, primary, assignmentIn(shortDir(t)));
  process.kill(worker.pid, 'SIGINT');
  t.equal(await textOf(await ask(url, 'still here')), 'still here');
});

t.test('a gateway that was killed in a turn leaves a conversation that goes on', async (t) => {
  const home = shortDir(t);
  const first = await bootAs(
    t,
    primary,
    assignmentIn(home, { agent: waitsFor(join(home, 'never')) }),
  );
  ask(first.url, 'hello').catch(() => {});
  await first.worker.said('report', ({ report }) => report.work.length === 1);
  process.kill(first.worker.pid, 'SIGKILL');
  await first.worker.gone();
  const second = await bootAs(t, primary, assignmentIn(home));
  t.match(sessionRow(home), { resume_pending: 1, resume_reason: 'restart_interrupted' });
  t.equal(await textOf(await ask(second.url, 'again')), 'again');
  t.match(sessionRow(home), { resume_pending: 0 });
});

t.test('a connection that comes during a restart is answered by the next generation', async (t) => {
  const home = shortDir(t);
  const first = await bootAs(t, primary, assignmentIn(home));
  first.worker.drain('restart', 1000);
  const waiting = ask(first.url, 'in between');
  t.strictSame(await first.worker.gone(), { code: EXIT.planned, signal: null });
  const second = await bootAs(t, primary, assignmentIn(home));
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
  const { worker, url } = await bootAs(t, primary, assignmentIn(shortDir(t)));
  worker.worker.process.stdout?.destroy();
  worker.worker.process.stderr?.destroy();
  t.equal(await textOf(await ask(url, 'unheard')), 'unheard');
  worker.send({ code: 'drain', reason: 'stop', budgetMs: 1000 });
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
});

t.test('messages out of the contract are a bug that is told', async (t) => {
  const worker = await bootWorker(t, primary);
  worker.worker.process.send?.({ code: 'drain', reason: 5 }, undefined, undefined, () => {});
  t.match(await worker.said('farewell'), { exitCode: EXIT.bug, detail: /code drain/ });
  t.strictSame(await worker.gone(), { code: EXIT.bug, signal: null });
});

t.test('messages of others on the channel are nothing to us', async (t) => {
  const worker = await bootWorker(t, primary);
  worker.worker.process.send?.({ hello: 'from a library' }, undefined, undefined, () => {});
  worker.send({ code: 'drain', reason: 'stop', budgetMs: 0 });
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
});

t.test('a second assignment is a bug that is told', async (t) => {
  const { worker } = await bootAs(t, primary, assignmentIn(shortDir(t)));
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
