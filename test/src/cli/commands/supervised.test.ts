import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { CLI_EXIT, EXIT, STATUS_EXIT } from '../../../../src/core/exit-codes.js';
import { packageFile } from '../../../../src/core/package-root.js';
import { runBinary, runCli, type Scope, scratchHome } from '../../../support/run-cli.js';

/** The whole program, as a person uses it: a real supervisor, a real gateway, the real binary. */

interface Up {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly child: ChildProcess;
  /** what `up` has printed so far */
  readonly printed: () => string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function up(t: Scope): Promise<Up> {
  const { env, home } = scratchHome(t);
  const port = String(await freePort());
  await runCli(['init', '--profile', 'default', '--port', port], { env });
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [packageFile('bin', 'gatewarden.js'), 'up'], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stderr?.resume();
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  while (!text.includes('status:')) {
    if (child.exitCode !== null) throw new Error(`up ended with ${child.exitCode}: ${text}`);
    if (child.stdout !== null) await once(child.stdout, 'data');
  }
  return { home, env, child, printed: () => text };
}

t.test('a person starts it, talks to it, asks it and stops it', async (t) => {
  const { child, env, home, printed } = await up(t);

  t.test('up says where to talk and where the API is', async (t) => {
    t.match(printed(), `supervises ${home} (pid ${child.pid})`);
    t.match(printed(), /default {2}ready {2}http:\/\/127\.0\.0\.1:\d+/);
    t.match(printed(), 'talk to default:  gatewarden chat\n');
  });

  t.test('a piped message gets the answer alone', async (t) => {
    const result = await runCli(['chat'], { env, input: 'hello there\n' });
    t.equal(result.code, CLI_EXIT.done);
    t.equal(result.stdout, 'hello there\n');
    t.equal(result.stderr, '');
  });

  t.test('status and why agree that all is well', async (t) => {
    const status = await runCli(['status'], { env });
    t.equal(status.code, STATUS_EXIT.ready);
    t.match(status.stdout, /^default {2}ready /m);
    const why = await runCli(['why', 'default'], { env });
    t.match(why.stdout, /^default is ready and has been for .*\n\nTo do: nothing\n$/s);
  });

  t.test('a message that comes during a restart is answered all the same', async (t) => {
    const [restart, answer] = await Promise.all([
      runCli(['restart', 'default'], { env }),
      runCli(['chat'], { env, input: 'still there?' }),
    ]);
    t.equal(restart.code, CLI_EXIT.done);
    t.match(restart.stdout, /^default: ready \(pid \d+\) after /);
    t.equal(answer.stdout, 'still there?\n');
  });

  t.test('a second up is refused by configuration and names the owner', async (t) => {
    const second = await runCli(['up'], { env });
    t.equal(second.code, EXIT.config);
    t.match(second.stderr, `pid ${child.pid} `);
    t.match(second.stderr, '(already-running)');
  });

  t.test('a gateway of its own is refused while the supervisor serves the profile', async (t) => {
    // a gateway says its last words to its own stderr
    const result = await runBinary(['gateway', 'run', '-p', 'default', '--replace'], { env });
    t.equal(result.code, EXIT.config);
    t.match(result.stderr, '(gateway-already-running)');
    t.equal((await runCli(['status'], { env })).code, STATUS_EXIT.ready, 'and it still serves');
  });

  t.test('chat tells why a stopped profile does not answer', async (t) => {
    const stop = await runCli(['stop', 'default'], { env });
    t.equal(stop.code, CLI_EXIT.done);
    const result = await runCli(['chat'], { env, input: 'hello' });
    t.equal(result.code, CLI_EXIT.failed);
    t.equal(result.stdout, '');
    t.match(result.stderr, /it is stopped \(no-chat\)\n {2}next: .*gatewarden start default\n$/);
    t.equal((await runCli(['start'], { env })).code, CLI_EXIT.done);
  });

  t.test('a profile that is added is started by a reload, and removed again', async (t) => {
    const port = String(await freePort());
    const added = await runCli(['profile', 'add', 'extra', '--port', port], { env });
    t.match(added.stdout, 'next: gatewarden reload\n');
    const reload = await runCli(['reload'], { env });
    t.match(reload.stdout, /^configuration read again: added extra\nextra: ready/);
    const removed = await runCli(['profile', 'remove', 'extra'], { env });
    t.equal(removed.code, CLI_EXIT.done);
    t.match(removed.stdout, /^removed extra; its files and state are kept in .*removed\/extra-/);
    const status = await runCli(['status', '--json'], { env });
    t.notMatch(status.stdout, '"extra"');
  });

  t.test('a reload refuses a bad configuration with all of its problems', async (t) => {
    writeFileSync(join(home, 'config.yaml'), 'supervisr: {}\n');
    const reload = await runCli(['reload'], { env });
    t.equal(reload.code, CLI_EXIT.refused);
    t.match(reload.stderr, 'supervisr');
    writeFileSync(join(home, 'config.yaml'), '');
  });

  t.test('history and logs tell what happened', async (t) => {
    const history = await runCli(['history', 'default', '--limit', '500'], { env });
    t.match(history.stdout, /default {2}ready after .* \(generation 1\)/);
    t.match(history.stdout, 'stop asked for by cli');
    const rows = await runCli(['history', '--json', '--limit', '2'], { env });
    t.equal(
      rows.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)).length,
      2,
    );
    const logs = await runCli(['logs'], { env });
    t.match(logs.stdout, 'supervisor started');
    t.match((await runCli(['logs', 'default'], { env })).stdout, 'ready');
  });

  t.test('doctor finds nothing in a healthy home', async (t) => {
    const result = await runCli(['doctor', '--json'], { env });
    const { checks, clean } = JSON.parse(result.stdout);
    t.strictSame(
      checks.flatMap((check: { findings: unknown[] }) => check.findings),
      [],
    );
    t.equal(clean, true);
    t.equal(result.code, CLI_EXIT.done);
  });

  t.test('after it ended, why and status tell what is remembered', async (t) => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    t.equal(code, EXIT.done);
    const status = await runCli(['status'], { env });
    t.equal(status.code, STATUS_EXIT.noSupervisor);
    t.match(status.stdout, /^last known:\nPROFILE .*\ndefault {2}running /);
    const why = await runCli(['why', 'default'], { env });
    t.equal(why.code, CLI_EXIT.done);
    t.match(why.stdout.replaceAll('\n', ' '), 'default is not supervised: no supervisor runs. ');
  });
});

t.test('gateway run serves one profile alone, and --replace takes over from it', async (t) => {
  const { env } = scratchHome(t);
  await runCli(['init', '--port', String(await freePort())], { env });
  const start = async (...more: string[]) => {
    const { PATH = '' } = process.env;
    const args = [packageFile('bin', 'gatewarden.js'), 'gateway', 'run', ...more];
    const child = spawn(process.execPath, args, { env: { PATH, ...env }, stdio: 'pipe' });
    child.stdout.resume();
    child.stderr.setEncoding('utf8');
    let text = '';
    for await (const part of child.stderr.iterator({ destroyOnReturn: false })) {
      text += part;
      if (text.includes(' is ready: ')) break;
    }
    child.stderr.resume();
    t.match(text, 'default is ready: ');
    t.teardown(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    });
    return child;
  };
  const first = await start();
  const answer = await runCli(['chat'], { env, input: 'alone?' });
  t.equal(answer.stdout, 'alone?\n', 'chat finds it without a supervisor');
  const ended = once(first, 'exit');
  await start('-p', 'default', '--replace');
  const [code] = await ended;
  t.equal(code, EXIT.done, 'the first one drained');
});
