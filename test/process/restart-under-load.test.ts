import { once } from 'node:events';
import { Agent, request } from 'node:http';
import t from 'tap';
import { type ModelStep, says, startModelServer } from '../support/gateway-model-server.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, rowOf, untilStatus, up } from '../support/up.js';

const IN_FLIGHT = 200;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

async function ask(url: URL, text: string, agent: Agent): Promise<Answer> {
  const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: text }] });
  const call = request(new URL('/v1/chat/completions', url), {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  call.end(body);
  const [answer] = await once(call, 'response');
  let received = '';
  for await (const chunk of answer) received += chunk;
  return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], text: received };
}

t.test('of 200 requests in flight during a restart none is refused or lost', async (t) => {
  // the model answers when it is told to, so that the turns are really in flight
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const slowly: ModelStep = async (response, call) => {
    await gate;
    await says(['answered'])(response, call);
  };
  const model = await startModelServer(t, slowly);
  const home = makeHome(
    t,
    profileFile('default', {
      agent: { driver: 'openai', base_url: model.baseUrl, api_key: 'sk-test', model: 'test' },
      platforms: { api_server: { enabled: true, port: 0, max_concurrent: IN_FLIGHT } },
    }),
  );
  await up(t, home);
  const report = await untilStatus(
    home,
    'it is ready',
    (now) => rowOf(now, 'default')?.state === 'ready',
  );
  const url = new URL(
    rowOf(report, 'default')?.listen.find((one) => one.startsWith('http')) ?? 'missing:',
  );
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  t.teardown(() => agent.destroy());
  const answers = Promise.allSettled(
    Array.from({ length: IN_FLIGHT }, (_, index) => ask(url, `message ${index}`, agent)),
  );
  await until(
    'half of the turns have reached the model',
    () => model.calls.length >= IN_FLIGHT / 2,
  );
  const restart = cli(home, 'restart', 'default');
  await untilStatus(home, 'it drains', (now) => rowOf(now, 'default')?.state === 'draining');
  const late = Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => ask(url, `late ${index}`, agent)),
  );
  open();
  const settled = [...(await answers), ...(await late)];
  t.equal((await restart).code, 0);
  const lost = settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  t.strictSame(lost, [], 'no connection was refused or reset');
  const got = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const answered = got.filter(({ status, text }) => status === 200 && text.includes('answered'));
  const toldToRetry = got.filter(({ status, retryAfter }) => status !== 200 && retryAfter);
  t.equal(answered.length + toldToRetry.length, IN_FLIGHT + 20);
  t.ok(answered.length >= IN_FLIGHT / 2, `${answered.length} were answered`);
  const after = await untilStatus(home, 'the next one is ready', (now) => {
    const row = rowOf(now, 'default');
    return row?.state === 'ready' && row.generation === 2;
  });
  t.match(rowOf(after, 'default')?.restarts, { planned: 1, failure: 0, lost: 0 });
});
