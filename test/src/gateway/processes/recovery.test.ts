import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  parseCheckpoint,
  renderCheckpoint,
} from '../../../../src/gateway/processes/checkpoint-file.js';
import { identityOf } from '../../../../src/store/process-table.js';
import { asks, openHome, SECRET, starts } from '../../../support/gateway-again.js';
import { says } from '../../../support/gateway-model-server.js';
import { isAlive } from '../../../support/gateway-processes.js';
import { gone, ToolBench } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';

interface Test {
  teardown(action: () => unknown): unknown;
}

t.test('after a kill the next gateway knows what still runs, and can end it', async (t) => {
  let id: unknown;
  const { file, start, ask } = await openHome(
    t,
    starts(`LOGIN=${SECRET} exec sleep 600`),
    says(['it runs']),
    asks('list'),
    says(['so it is']),
    (response, call) => asks('log', id)(response, call),
    says(['no log']),
    (response, call) => asks('kill', id)(response, call),
    says(['ended']),
  );
  const first = await start();
  const started = await ask('start it');
  id = started.process_id;
  const pid = Number(started.pid);
  t.teardown(() => isAlive(pid) && process.kill(pid, 'SIGKILL'));
  const written = await until(() => existsSync(file) && readFileSync(file, 'utf8'), 'the file');
  t.notMatch(written, SECRET, 'commands are redacted');
  first.child.kill('SIGKILL');
  await first.gone();
  t.ok(isAlive(pid));

  const second = await start();
  t.match((await ask('what runs?')).processes, [
    { process_id: id, pid, state: 'running', detached: true },
  ]);
  t.match((await ask('show its log')).error, /earlier gateway/);
  t.match(await ask('end it'), { state: 'killed' });
  t.notOk(isAlive(pid));
  second.child.kill('SIGTERM');
  await second.gone();
  t.strictSame(parseCheckpoint(JSON.parse(readFileSync(file, 'utf8'))), [], 'nothing is left');
});

function sleeper(t: Test, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn('sleep', ['600'], { env: { ...process.env, ...env }, detached: true });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** A checkpoint of a gateway that is long dead. */
function leaveCheckpoint(bench: ToolBench, child: ChildProcess, more: object = {}): void {
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('it does not run');
  const entry = {
    id: 'proc-left',
    command: 'sleep 600',
    cwd: '/',
    startedAt: Date.now(),
    identity,
    scopeName: 'turn-1.proc-left',
    scopeTag: 'of:another:gateway:turn-1.proc-left',
    sessionKey: 'agent:main:local:dm',
    sessionId: 's1',
    platform: 'local',
    chatId: undefined,
    persistOnRelease: false,
    notifyOnComplete: true,
    writer: { pid: 2 ** 22 + 1, startTicks: 1, bootId: identity.bootId },
    ...more,
  };
  const path = join(bench.directory, 'state', 'processes.json');
  writeFileSync(path, renderCheckpoint([entry]));
}

t.test('a stranger who has the number now is never touched', async (t) => {
  const bench = new ToolBench(t, { limits: { termGraceMs: 50 } });
  const child = sleeper(t);
  const reused = { ...identityOf(child.pid ?? 0), pid: child.pid, startTicks: 7 };
  leaveCheckpoint(bench, child, { identity: reused });
  await bench.processes.recover();
  t.strictSame(bench.processes.registry.all, []);
  await bench.processes.close();
  t.ok(isAlive(child.pid ?? 0));
});

t.test('what the scope of a dead process still holds is ended', async (t) => {
  const bench = new ToolBench(t, { limits: { termGraceMs: 50 } });
  const root = sleeper(t);
  const tag = 'of:another:gateway:turn-1.proc-left';
  const left = sleeper(t, { GATEWARDEN_SCOPE: tag });
  leaveCheckpoint(bench, root);
  root.kill('SIGKILL');
  await gone(root.pid ?? 0);
  await bench.processes.recover();
  await gone(left.pid ?? 0);
  t.strictSame(bench.processes.registry.all, []);
});

t.test('an adopted process that goes is news, and no exit code is made up for it', async (t) => {
  const bench = new ToolBench(t);
  const child = sleeper(t);
  leaveCheckpoint(bench, child);
  await bench.processes.recover();
  t.match((await bench.process('list')).processes, [{ process_id: 'proc-left', detached: true }]);
  child.kill('SIGKILL');
  const [notice] = await until(() => bench.notices.length > 0 && bench.notices, 'the news');
  t.match(notice?.text, /exit code is not known/);
  const said = await bench.process('poll', { process_id: 'proc-left' });
  t.match(said, { state: 'gone' });
  t.notOk('exit_code' in said);
});

t.test('no turn of ours takes an adopted process along', async (t) => {
  const bench = new ToolBench(t);
  const child = sleeper(t);
  leaveCheckpoint(bench, child);
  await bench.processes.recover();
  bench.turn.abandon('stop');
  t.strictSame((await bench.process('list')).error, 'the turn is over');
  t.ok(isAlive(child.pid ?? 0));
  t.equal(bench.processes.registry.find('proc-left')?.look().kind, 'running');
});

t.test('short commands never reach the disk, long ones do while they run', async (t) => {
  const bench = new ToolBench(t, { limits: { checkpointDelayMs: 20 } });
  await bench.processes.recover();
  await bench.terminal('true');
  const { process_id } = await bench.background('exec sleep 600');
  await until(() => bench.checkpoint.includes(process_id), 'the entry');
  await bench.process('kill', { process_id });
  await until(() => !bench.checkpoint.includes(process_id), 'its end');
  t.equal(bench.checkpoint, renderCheckpoint([]));
});

t.test('a disk that takes no writes stops no process and is told once', async (t) => {
  const bench = new ToolBench(t, { stateDir: '/nowhere/at/all' });
  await bench.processes.recover();
  const { process_id } = await bench.background('exec sleep 600');
  await until(() => bench.logLines.some((line) => /cannot be written/.test(line)), 'the log line');
  t.match(await bench.process('kill', { process_id }), { state: 'killed' });
});
