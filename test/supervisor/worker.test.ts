import { once } from 'node:events';
import { type Agent, request } from 'node:http';
import t from 'tap';
import {
  makeHome,
  profileFile,
  type Running,
  supervise,
  untilState,
} from '../support/supervised-home.js';
import { until } from '../support/until.js';

const API = { platforms: { api_server: { enabled: true, port: 0 } } };

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

async function ask(port: number, text: string, agent?: Agent): Promise<Answer> {
  const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: text }] });
  const call = request({
    host: '127.0.0.1',
    port,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    ...(agent === undefined ? {} : { agent }),
  });
  call.end(body);
  const [answer] = await once(call, 'response');
  let received = '';
  for await (const chunk of answer) received += chunk;
  return { status: answer.statusCode, text: received, retryAfter: answer.headers['retry-after'] };
}

function portOf(running: Running, name: string): number {
  const url = running
    .profile(name)
    .view()
    .run?.gatewayReport.listen.find((one) => one.startsWith('http'));
  return Number(new URL(url ?? '').port);
}

t.test('a built-in gateway answers through the socket that the supervisor holds', async (t) => {
  const home = makeHome(t, profileFile('default', API));
  const running = await supervise(t, home);
  await untilState(running, 'default', 'ready');
  const answer = await ask(portOf(running, 'default'), 'hello');
  t.equal(answer.status, 200);
  t.match(JSON.parse(answer.text).choices[0].message.content, 'hello');
});

t.test(
  'during a restart no connection is refused and each is answered or told to retry',
  async (t) => {
    const home = makeHome(t, profileFile('default', API));
    const running = await supervise(t, home);
    await untilState(running, 'default', 'ready');
    const port = portOf(running, 'default');
    let restarted = false;
    const job = running.supervisor.verb('default', 'restart', { now: false, by: 'test' });
    const answers: Answer[] = [];
    const errors: unknown[] = [];
    while (!restarted) {
      const wave = Array.from({ length: 10 }, (_, index) => ask(port, `message ${index}`));
      for (const outcome of await Promise.allSettled(wave)) {
        if (outcome.status === 'fulfilled') answers.push(outcome.value);
        else errors.push(outcome.reason);
      }
      restarted = running.supervisor.jobs.find(job.id)?.phase === 'done';
    }
    t.strictSame(errors, []);
    t.ok(answers.length >= 10);
    t.strictSame(
      answers.filter(({ status, retryAfter }) => status !== 200 && retryAfter === undefined),
      [],
    );
    t.ok(answers.some(({ status }) => status === 200));
    t.equal(running.profile('default').view().generation, 2);
    t.equal(portOf(running, 'default'), port, 'the same port');
    t.equal(running.profile('default').view().deaths.counters.planned, 1);
  },
);

t.test('a killed worker is replaced while another profile never notices', async (t) => {
  const home = makeHome(t, { ...profileFile('a', API), ...profileFile('b', API) });
  const running = await supervise(t, home);
  await untilState(running, 'a', 'ready');
  await untilState(running, 'b', 'ready');
  const { run } = running.profile('b').view();
  const portA = portOf(running, 'a');
  process.kill(running.profile('a').view().run?.pid ?? 0, 'SIGKILL');
  const during = [];
  while (running.count('a', 'ready') < 2)
    during.push((await ask(portOf(running, 'b'), 'x')).status);
  t.strictSame([...new Set(during)], [200]);
  t.equal((await ask(portA, 'back')).status, 200);
  t.equal(running.profile('b').view().run?.pid, run?.pid);
  t.equal(running.profile('a').view().deaths.counters.lost, 1);
});

t.test('a port that a stranger holds is a failure that backs off, not a refusal', async (t) => {
  const { createServer } = await import('node:net');
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  t.teardown(() => stranger.close());
  const address = stranger.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const home = makeHome(
    t,
    profileFile('default', { platforms: { api_server: { enabled: true, port } } }),
  );
  const running = await supervise(t, home);
  await until('it backed off', () => running.count('default', 'restart-in') >= 1);
  const last = running.profile('default').view().deaths.last;
  t.strictSame(last?.outcome, { kind: 'code', code: 1 });
  t.equal(last?.cause, 'failure');
  t.match(last?.detail, /cannot listen on .*EADDRINUSE|in use/);
});
