import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import t from 'tap';
import { Secret } from '../../../src/core/secret.js';
import { METRIC_NAMES } from '../../../src/observability/index.js';
import { startControlServer } from '../../../supervisor/control/index.js';
import { matchRoute } from '../../../supervisor/control/routes.js';
import {
  aProfile,
  aReport,
  ask,
  SmallSupervisor,
  serve,
  socketPath,
} from '../../support/control-port.js';
import { until } from '../../support/until.js';

t.test('each route answers what the supervisor says', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  const get = (path: string) => ask({ socketPath: address.socketPath, path });
  t.strictSame(JSON.parse((await get('/v1/status')).text), JSON.parse(JSON.stringify(port.report)));
  t.match(JSON.parse((await get('/v1/jobs/job-1')).text), { id: 'job-1', phase: 'starting' });
  const since = '2026-01-02T03:04:05.000Z';
  t.equal((await get(`/v1/history?profile=coder&limit=7&since=${since}`)).status, 200);
  t.strictSame(port.asked, [{ profile: 'coder', sinceMs: Date.parse(since), limit: 7 }]);
  t.equal(statSync(address.socketPath).mode & 0o777, 0o600);
});

t.test('a verb takes who asks and whether to skip the drain, or nothing at all', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  const post = (verb: string, body?: string, by?: string) =>
    ask({
      socketPath: address.socketPath,
      method: 'POST',
      path: `/v1/profiles/coder/${verb}`,
      ...(body === undefined ? {} : { body }),
      ...(by === undefined ? {} : { headers: { 'x-gatewarden-by': by } }),
    });
  t.equal((await post('start')).status, 202);
  t.equal((await post('stop', '{"now":true,"by":"cli"}')).status, 202);
  t.equal((await post('restart', '{"by":"scr\\u001bipt"}', 'header')).status, 202);
  t.equal((await post('reload', ' ', 'header')).status, 202);
  t.strictSame(port.asked, [
    { profile: 'coder', verb: 'start', now: false, by: 'api' },
    { profile: 'coder', verb: 'stop', now: true, by: 'cli' },
    { profile: 'coder', verb: 'restart', now: false, by: 'script' },
    { profile: 'coder', verb: 'reload', now: false, by: 'header' },
  ]);
});

t.test('every refusal has its status, a code, words and a next step', async (t) => {
  const faults: unknown[] = [];
  const { address } = await serve(t, new SmallSupervisor(), { onFault: (one) => faults.push(one) });
  const rows: readonly (readonly [string, string, number, string, string?])[] = [
    ['POST', '/v1/profiles/nobody/start', 404, 'unknown-profile'],
    ['GET', '/v1/history?profile=nobody', 404, 'unknown-profile'],
    ['POST', '/v1/profiles/refused/start', 409, 'not-built-in'],
    ['POST', '/v1/profiles/bug/start', 500, 'invariant-broken'],
    ['POST', '/v1/profiles/coder/start', 400, 'bad-argument', '{"now":"yes"}'],
    ['POST', '/v1/profiles/coder/start', 400, 'bad-argument', '{"by":7}'],
    ['POST', '/v1/profiles/coder/start', 400, 'bad-argument', '[]'],
    ['POST', '/v1/profiles/coder/start', 400, 'bad-argument', '{"now":'],
    ['POST', '/v1/profiles/coder/start', 413, 'bad-argument', ' '.repeat(2_000_000)],
    ['POST', '/v1/profiles/coder/destroy', 404, 'bad-argument'],
    ['POST', '/v1/shutdown', 404, 'bad-argument'],
    ['POST', '/v1/profiles/%ff/start', 404, 'bad-argument'],
    ['GET', '/v1/profiles/coder/start', 405, 'bad-argument'],
    ['DELETE', '/v1/status', 405, 'bad-argument'],
    ['GET', '/v1/jobs/unknown', 404, 'bad-argument'],
    ['GET', '/v1/history?limit=0', 400, 'bad-argument'],
    ['GET', '/v1/history?since=yesterday', 400, 'bad-argument'],
    ['GET', '/v1/events', 426, 'bad-argument'],
    ['GET', '/../etc/passwd', 404, 'bad-argument'],
  ];
  for (const [method, path, status, code, body = ''] of rows) {
    const reply = await ask({ socketPath: address.socketPath, method, path, body });
    const name = `${method} ${path} ${body.slice(0, 20)}`;
    t.equal(reply.status, status, name);
    const { error } = JSON.parse(reply.text);
    t.match(error, { code, message: /./, next: /./ }, name);
    t.notMatch(reply.text, 'secret-of-the-inside');
  }
  t.match(faults, [{ message: /secret-of-the-inside/ }], 'only the bug is told to the log');
});

t.test('a reload that is refused is a conflict with its problems', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  const reload = () => ask({ socketPath: address.socketPath, method: 'POST', path: '/v1/reload' });
  t.match(JSON.parse((await reload()).text), { added: ['new'] });
  port.problems = 'config.yaml:3: unknown key';
  const refused = await reload();
  t.equal(refused.status, 409);
  t.match(JSON.parse(refused.text).error, { code: 'config-invalid', message: /unknown key/ });
});

t.test('each path belongs to one method', async (t) => {
  t.match(matchRoute('HEAD', '/v1/status'), { kind: 'route' });
  t.strictSame(matchRoute('PUT', '/v1/reload'), { kind: 'wrong-method', allow: 'POST' });
  t.strictSame(matchRoute('GET', '/v1/status/'), { kind: 'unknown' });
  t.strictSame(matchRoute('POST', '/v1/profiles//start'), { kind: 'unknown' });
});

t.test('metrics name every metric and the profiles’ facts', async (t) => {
  const port = new SmallSupervisor();
  const parked = {
    reason: 'config',
    detail: '',
    remedy: '',
    since: '',
    retriesOn: 'operator',
  } as const;
  port.report = aReport([
    aProfile(),
    aProfile({ name: 'writer', state: 'parked', parked, pid: null }),
  ]);
  port.happen();
  const { address } = await serve(t, port);
  const { text, headers } = await ask({ socketPath: address.socketPath, path: '/metrics' });
  t.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  for (const name of METRIC_NAMES) t.match(text, `# TYPE ${name} `, name);
  t.match(text, 'gatewarden_profile_state{profile="writer",state="parked"} 1');
  t.match(text, 'gatewarden_profile_parked{profile="writer",reason="config"} 1');
  t.match(text, 'gatewarden_events_total{code="phase"} 1');
  t.notMatch(text, /gatewarden_profile_cpu_percent\{/, 'what is not known has no sample');
});

t.test('the page escapes whatever a child or a name may hold', async (t) => {
  const port = new SmallSupervisor();
  const hostile = `<script>alert(1)</script>"'\`&<img src=x onerror=y>`;
  const parked = { detail: hostile, remedy: hostile, since: '', retriesOn: 'operator' } as const;
  port.report = {
    ...aReport([
      aProfile({
        name: hostile,
        phase: hostile,
        notices: [hostile],
        served: hostile,
        platforms: [{ name: hostile, state: 'retrying', detail: hostile }],
        parked: { reason: 'config', ...parked },
      }),
    ]),
  };
  const { address } = await serve(t, port);
  const { text, headers } = await ask({ socketPath: address.socketPath, path: '/' });
  t.match(text, '&lt;script&gt;alert(1)');
  t.equal(text.match(/<script/g)?.length, 1, 'one script, ours');
  t.notMatch(text, '<img');
  const nonce = /<script nonce="([^"]+)">/.exec(text)?.[1] ?? 'none';
  t.match(headers['content-security-policy'], `script-src 'nonce-${nonce}'`);
  t.match(headers['content-security-policy'], "default-src 'none'");
});

t.test('a page that is switched off is no route', async (t) => {
  const { address } = await serve(t, new SmallSupervisor(), { statusPage: false });
  t.equal((await ask({ socketPath: address.socketPath, path: '/' })).status, 404);
});

t.test('over TCP only who has the token, under an address that is ours, is answered', async (t) => {
  const tcp = { host: '127.0.0.1', port: 0, token: new Secret('s3cret-token') };
  const { address } = await serve(t, new SmallSupervisor(), { tcp });
  const port = address.tcp?.port ?? 0;
  const basic = `Basic ${Buffer.from('any:s3cret-token').toString('base64')}`;
  const bearer = 'Bearer s3cret-token';
  const rows: readonly (readonly [Record<string, string>, number])[] = [
    [{}, 401],
    [{ authorization: 'Bearer s3cret-toke' }, 401],
    [{ authorization: 'Bearer ' }, 401],
    [{ authorization: 'Digest s3cret-token' }, 401],
    [{ authorization: bearer }, 200],
    [{ authorization: basic }, 200],
    [{ authorization: bearer, host: 'localhost:1' }, 200],
    [{ authorization: bearer, host: '[::1]:1' }, 200],
    [{ authorization: bearer, host: 'evil.example' }, 421],
    [{ authorization: bearer, origin: 'http://evil.example' }, 403],
    [{ authorization: bearer, origin: `http://localhost:${port}` }, 200],
  ];
  for (const [headers, status] of rows) {
    const reply = await ask({ port, path: '/v1/status', headers });
    t.equal(reply.status, status, JSON.stringify(headers));
    t.notMatch(reply.text, 's3cret');
  }
});

t.test('a socket that an earlier supervisor left is replaced, a living one is not', async (t) => {
  const path = socketPath(t);
  const { spawnSync } = await import('node:child_process');
  const leave = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', leave]);
  t.ok(existsSync(path), 'it was left');
  const port = new SmallSupervisor();
  const server = await startControlServer({ socketPath: path, port });
  t.teardown(() => server.close(0));
  await t.rejects(startControlServer({ socketPath: path, port }), { code: 'listen-failed' });
  t.equal((await ask({ socketPath: path, path: '/v1/status' })).status, 200, 'still ours');
});

t.test('a file that is no socket is left alone', async (t) => {
  const path = socketPath(t);
  writeFileSync(path, 'precious');
  const starting = startControlServer({ socketPath: path, port: new SmallSupervisor() });
  await t.rejects(starting, { code: 'listen-failed', message: /no socket/ });
  t.ok(existsSync(path));
});

t.test('a TCP port in use is told with its address, and the socket is let go', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  t.teardown(() => other.close());
  const bound = other.address();
  const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
  const path = socketPath(t);
  const tcp = { host: '127.0.0.1', port, token: new Secret('x') };
  const starting = startControlServer({ socketPath: path, tcp, port: new SmallSupervisor() });
  await t.rejects(starting, { code: 'listen-failed', message: new RegExp(`${port}: EADDRINUSE`) });
  t.notOk(existsSync(path));
});

t.test('two hundred idle connections do not hold up the end', async (t) => {
  const server = await serve(t, new SmallSupervisor());
  const sockets = Array.from({ length: 200 }, () => connect(server.address.socketPath));
  let closed = 0;
  for (const socket of sockets) socket.on('close', () => closed++).on('error', () => undefined);
  await Promise.all(sockets.map((socket) => new Promise((done) => socket.once('connect', done))));
  // one in the middle of its request, and one that keeps its connection
  sockets[0]?.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n');
  sockets[1]?.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((done) => sockets[1]?.once('data', done));
  // a grace that would outlive the test: nothing is being answered, so it is not used
  await server.close(600_000);
  await until('all are closed', () => closed === 200);
});
