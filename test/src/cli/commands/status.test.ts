import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { STATUS_EXIT } from '../../../../src/core/exit-codes.js';
import type { ProfileStatus } from '../../../../src/core/status.js';
import { startControlServer, writeHint } from '../../../support/control-server.js';
import { runCli, type Scope, scratchHome, startCli } from '../../../support/run-cli.js';
import { aProfile, aReport } from '../../../support/status-facts.js';

t.jobs = 2;

const PARKED = aProfile({ name: 'legacy', state: 'parked', pid: null });
const STARTING = aProfile({ name: 'slow', state: 'starting' });
const STOPPED = aProfile({ name: 'off', state: 'stopped', desired: 'stopped', pid: null });

async function supervised(t: Scope, ...profiles: readonly ProfileStatus[]) {
  const scratch = scratchHome(t);
  const report = aReport(...profiles);
  const server = await startControlServer(join(scratch.root, 'c.sock'), () => ({
    status: 200,
    body: report,
  }));
  t.teardown(() => server.close());
  writeHint(scratch.home, server.socketPath);
  return { ...scratch, report, server };
}

const VERDICTS = [
  { profiles: [aProfile(), STOPPED], code: STATUS_EXIT.ready },
  { profiles: [aProfile(), STARTING], code: STATUS_EXIT.degraded },
  { profiles: [aProfile(), STARTING, PARKED], code: STATUS_EXIT.down },
];

for (const { code, profiles } of VERDICTS) {
  t.test(`status exits with ${code} for ${profiles.map((one) => one.state)}`, async (t) => {
    const { env, report } = await supervised(t, ...profiles);
    const people = await runCli(['status'], { env });
    t.equal(people.code, code);
    t.equal(people.stderr, '');
    for (const { name } of profiles) t.match(people.stdout, name);
    const programs = await runCli(['status', '--json'], { env });
    t.equal(programs.code, code);
    t.strictSame(JSON.parse(programs.stdout), JSON.parse(JSON.stringify(report)));
  });
}

t.test('names limit both what is shown and what is judged', async (t) => {
  const { env } = await supervised(t, aProfile(), PARKED);
  const result = await runCli(['status', 'coder'], { env });
  t.equal(result.code, STATUS_EXIT.ready);
  t.notMatch(result.stdout, 'legacy');
  const unknown = await runCli(['status', 'nobody'], { env });
  t.match(unknown.stderr, 'no profile is named nobody; known: coder, legacy (unknown-profile)');
});

t.test('a supervisor that is there but silent is told apart from none', async (t) => {
  const scratch = scratchHome(t);
  const server = await startControlServer(join(scratch.root, 'c.sock'), () => 'silence');
  t.teardown(() => server.close());
  writeHint(scratch.home, server.socketPath);
  const result = await runCli(['status'], { env: scratch.env });
  t.equal(result.code, STATUS_EXIT.noSupervisor);
  t.match(
    result.stderr,
    `the supervisor (pid ${process.pid}) did not answer within 5s (supervisor-silent)`,
  );
});

t.test('the control socket is found by its usual place too, without any hint', async (t) => {
  const scratch = scratchHome(t);
  const { homeHash } = await import('../../../../src/config/paths.js');
  const path = join(scratch.root, 'gatewarden', homeHash(scratch.home), '_control.sock');
  const server = await startControlServer(path, () => ({ status: 200, body: aReport(aProfile()) }));
  t.teardown(() => server.close());
  t.equal((await runCli(['status'], { env: scratch.env })).code, STATUS_EXIT.ready);
});

t.test('a hint that is broken, or names a dead process, is no supervisor', async (t) => {
  const scratch = scratchHome(t);
  mkdirSync(join(scratch.home, 'state'), { recursive: true });
  for (const text of ['', '{', '{"pid":"x"}', '{"pid":4194303,"socket":"/nowhere.sock"}']) {
    writeFileSync(join(scratch.home, 'state', 'supervisor.json'), text);
    const result = await runCli(['status'], { env: scratch.env });
    t.equal(result.code, STATUS_EXIT.noSupervisor, text);
    t.match(result.stderr, '(no-supervisor)', text);
  }
});

t.test('something else on the socket is named, not shown as a status', async (t) => {
  const scratch = scratchHome(t);
  const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
  server.listen(join(scratch.root, 'c.sock'));
  await once(server, 'listening');
  t.teardown(() => server.close());
  writeHint(scratch.home, join(scratch.root, 'c.sock'));
  const result = await runCli(['status'], { env: scratch.env });
  t.equal(result.stdout, '');
  t.match(result.stderr, '(protocol-broken)');
});

t.test('a reader that goes away ends it quietly', async (t) => {
  const { env } = await supervised(t, ...Array.from({ length: 50 }, () => aProfile()));
  const child = startCli(['status'], { env });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += String(text);
  });
  await once(child, 'close');
  t.equal(stderr, '');
  t.equal(child.signalCode, null);
});

t.test('--watch prints again when something changed, and says when nobody answers', async (t) => {
  const scratch = scratchHome(t);
  let report = aReport(aProfile());
  const server = await startControlServer(join(scratch.root, 'c.sock'), () => ({
    status: 200,
    body: report,
  }));
  writeHint(scratch.home, server.socketPath, 4_194_303);
  const child = startCli(['status', '--watch', '--json'], { env: scratch.env });
  const lines = linesOf(child.stdout);
  t.match(JSON.parse(await lines()), { profiles: [{ state: 'ready' }] });
  report = aReport(aProfile({ state: 'draining' }));
  t.match(JSON.parse(await lines()), { profiles: [{ state: 'draining' }] });
  await server.close();
  t.match(JSON.parse(await lines()), { supervisor: null });
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  t.equal(code, STATUS_EXIT.noSupervisor);
});

/** Hands out one line after the other. */
function linesOf(stream: NodeJS.ReadableStream | null): () => Promise<string> {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  return async () => {
    while (!text.includes('\n')) if (stream !== null) await once(stream, 'data');
    const end = text.indexOf('\n');
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return line;
  };
}
