import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import t from 'tap';
import type { AgentSettings } from '../../../../../src/core/assignment.js';
import { API } from '../../../../support/gateway-assignment.js';
import { startGateway } from '../../../../support/gateway-in-process.js';
import {
  fails,
  hangsAfter,
  says,
  startModelServer,
} from '../../../../support/gateway-model-server.js';
import { until, within } from '../../../../support/gateway-within.js';

const KEY = 'key-of-the-profile';

function clientOf(url: string, more: object = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0, ...more });
}

function openaiAgent(baseUrl: string): AgentSettings {
  return {
    driver: 'openai',
    baseUrl,
    apiKey: 'sk-model',
    model: 'fake',
    systemPrompt: undefined,
    timeoutMs: 20_000,
    maxRetries: 0,
    maxTokens: undefined,
    temperature: undefined,
    historyMessages: 10,
    tools: [],
  };
}

function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

function ask(text: string) {
  return { model: 'gatewarden', messages: [{ role: 'user' as const, content: text }] };
}

function post(url: string, body: string, headers: Record<string, string> = {}) {
  const all = { 'Content-Type': 'application/json', ...headers };
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers: all });
}

t.test("OpenAI's own client gets an answer whole", async (t) => {
  const { url } = await startGateway(t);
  const { data, response } = await clientOf(url)
    .chat.completions.create(ask('hello you'))
    .withResponse();
  t.match(data, {
    id: /^chatcmpl-/,
    object: 'chat.completion',
    created: Number,
    model: 'gatewarden',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'hello you' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
  });
  t.match(response.headers.get('X-Gatewarden-Session-Id'), /^\d{8}_\d{6}_[0-9a-f]{8}$/);
});

t.test("OpenAI's own client gets an answer as a stream, with its helper too", async (t) => {
  const { url } = await startGateway(t);
  const client = clientOf(url);
  const stream = await client.chat.completions.create({
    ...ask('one two'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  t.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), 'one two');
  t.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
  t.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
  t.match(chunks.at(-1), { choices: [], usage: { total_tokens: 4 } });
  t.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  const helper = client.chat.completions.stream(ask('three four'));
  t.equal((await helper.finalChatCompletion()).choices[0]?.message.content, 'three four');
});

t.test('an answer that is cut at its limit says length, whole and streamed', async (t) => {
  const { url } = await startGateway(t);
  const client = clientOf(url);
  const whole = await client.chat.completions.create({ ...ask('a b c'), max_tokens: 2 });
  t.equal(whole.choices[0]?.finish_reason, 'length');
  const helper = client.chat.completions.stream({ ...ask('a b c'), max_completion_tokens: 1 });
  const reasons = [];
  for await (const chunk of helper) reasons.push(chunk.choices[0]?.finish_reason);
  t.ok(reasons.includes('length'));
});

t.test('models are listed and found', async (t) => {
  const { url } = await startGateway(t, {
    assignment: { apiServer: { ...API, model: 'team/coder' } },
  });
  const client = clientOf(url);
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  t.strictSame(ids, ['team/coder']);
  t.equal((await client.models.retrieve('team/coder')).owned_by, 'gatewarden');
  t.ok((await errorOf(client.models.retrieve('other'))) instanceof NotFoundError);
});

t.test('with a key everything but liveness asks for it', async (t) => {
  const { url } = await startGateway(t, { assignment: { apiServer: { ...API, key: KEY } } });
  t.equal(
    (await clientOf(url).chat.completions.create(ask('hi'))).choices[0]?.message.content,
    'hi',
  );
  const wrong = clientOf(url, { apiKey: 'another-key' });
  const error = await wrong.chat.completions.create(ask('hi')).catch((thrown: unknown) => thrown);
  t.ok(error instanceof AuthenticationError);
  t.match(error, { status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
  for (const path of ['/v1/models', '/v1/models/gatewarden', '/health/detailed']) {
    const response = await fetch(url + path);
    t.equal(response.status, 401, path);
    t.equal(response.headers.get('WWW-Authenticate'), 'Bearer');
  }
  for (const path of ['/health', '/v1/health'])
    t.equal((await fetch(url + path)).status, 200, path);
});

t.test('without a key a page from elsewhere is refused by its Host', async (t) => {
  const { url } = await startGateway(t);
  for (const path of ['/health', '/v1/models', '/v1/chat/completions']) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const method = path.includes('chat') ? 'POST' : 'GET';
      const request = httpRequest(url + path, { method, headers: { Host: 'evil.example' } });
      request.once('response', (response) => resolve(response.resume().statusCode));
      request.once('error', reject).end();
    });
    t.equal(status, 403, path);
  }
});

t.test('every wrong request gets its own status and a body that clients understand', async (t) => {
  const { url } = await startGateway(t);
  const good = JSON.stringify(ask('hi'));
  const huge = JSON.stringify(ask('x'.repeat(11 * 1024 * 1024)));
  const cases: [string, Promise<Response>, number][] = [
    ['unknown route', fetch(`${url}/v1/nothing`), 404],
    ['wrong method', fetch(`${url}/v1/chat/completions`), 405],
    ['wrong method of a reading route', fetch(`${url}/health`, { method: 'POST' }), 405],
    ['broken JSON', post(url, '{"model":'), 400],
    [
      'not UTF-8',
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: Buffer.from([0x7b, 0xff]),
        headers: { 'Content-Type': 'application/json' },
      }),
      400,
    ],
    ['wrong type', post(url, good, { 'Content-Type': 'text/plain' }), 415],
    [
      'no type',
      fetch(`${url}/v1/chat/completions`, { method: 'POST', body: Buffer.from(good) }),
      415,
    ],
    ['bad field', post(url, JSON.stringify({ ...ask('x'), n: 3 })), 400],
    ['bad session key', post(url, good, { 'X-Gatewarden-Session-Key': 'x'.repeat(257) }), 400],
    ['too large', post(url, huge), 413],
  ];
  for (const [name, sent, status] of cases) {
    const response = await sent;
    t.equal(response.status, status, name);
    const { error } = (await response.json()) as { error: object };
    t.match(error, { message: String, type: 'invalid_request_error', code: String }, name);
    t.ok('param' in error, name);
  }
  t.equal((await fetch(`${url}/health`, { method: 'POST' })).headers.get('Allow'), 'GET');
  const chunked = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    duplex: 'half',
    body: new Blob([huge]).stream(),
  } as RequestInit);
  t.equal(chunked.status, 413, 'too large without an announced length');
  t.ok(
    (await errorOf(clientOf(url).chat.completions.create({ ...ask('x'), n: 2 }))) instanceof
      BadRequestError,
  );
  t.equal((await post(url, good)).status, 200, 'and the gateway lives on');
});

t.test('a stored conversation goes on when the key of a session is sent', async (t) => {
  const model = await startModelServer(t, says(['hi']));
  const { url } = await startGateway(t, { assignment: { agent: openaiAgent(model.baseUrl) } });
  const headers = { 'X-Gatewarden-Session-Key': 'chat-7' };
  const client = clientOf(url);
  const first = await client.chat.completions.create(ask('one'), { headers }).asResponse();
  const second = await client.chat.completions.create(ask('two'), { headers }).asResponse();
  t.strictSame(model.calls[1]?.body.messages, [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'two' },
  ]);
  const idOf = (response: Response) => response.headers.get('X-Gatewarden-Session-Id');
  t.equal(idOf(first), idOf(second));
  await client.chat.completions.create(ask('three'));
  t.strictSame(
    model.calls[2]?.body.messages,
    [{ role: 'user', content: 'three' }],
    'stateless without it',
  );
});

t.test('more runs than allowed are told to come back, and the client of OpenAI does', async (t) => {
  const model = await startModelServer(t, hangsAfter('…'), says(['later']));
  const apiServer = { ...API, maxConcurrent: 1 };
  const { url } = await startGateway(t, {
    assignment: { agent: openaiAgent(model.baseUrl), apiServer },
  });
  const first = await clientOf(url).chat.completions.create({ ...ask('one'), stream: true });
  const refused = await clientOf(url)
    .chat.completions.create(ask('two'))
    .catch((error: unknown) => error);
  t.ok(refused instanceof RateLimitError);
  t.match(refused, { status: 429, code: 'rate_limit_exceeded' });
  t.equal((refused as RateLimitError).headers?.get('Retry-After'), '1');
  const patient = clientOf(url, { maxRetries: 5 }).chat.completions.create(ask('two'));
  first.controller.abort();
  t.equal((await within(patient, 'the retry')).choices[0]?.message.content, 'later');
});

t.test('a client that leaves ends its turn, whole and streamed', async (t) => {
  for (const stream of [true, false]) {
    const model = await startModelServer(t, hangsAfter('…'));
    const { url, gateway, reports } = await startGateway(t, {
      assignment: { agent: openaiAgent(model.baseUrl) },
    });
    const leaving = new AbortController();
    const sent = post(url, JSON.stringify({ ...ask('one'), stream }), {});
    void sent.catch(() => {});
    const aborted = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...ask('two'), stream }),
      signal: leaving.signal,
    }).catch(() => {});
    await until(() => reports.at(-1)?.work.length === 2, 'both runs');
    leaving.abort();
    await aborted;
    await until(() => reports.at(-1)?.work.length === 1, 'the end of the one that left');
    gateway.hurry();
    await gateway.drain('stop', 0);
  }
});

t.test('a failed turn is told before the stream begins, and inside it afterwards', async (t) => {
  const model = await startModelServer(
    t,
    fails(404, { message: 'no such model' }),
    fails(404),
    hangsAfter('Half '),
  );
  const settings = openaiAgent(model.baseUrl);
  const { url } = await startGateway(t, {
    assignment: {
      agent: settings.driver === 'openai' ? { ...settings, timeoutMs: 300 } : settings,
    },
  });
  for (const stream of [true, false]) {
    const response = await post(url, JSON.stringify({ ...ask('x'), stream }));
    t.equal(response.status, 502);
    t.equal(response.headers.get('x-should-retry'), 'false', 'the gateway has tried already');
    t.match(await response.json(), {
      error: { code: 'turn-failed', type: 'upstream_error', message: /agent\.model/ },
    });
  }
  const stream = await clientOf(url).chat.completions.create({ ...ask('x'), stream: true });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })();
  await t.rejects(reading, { message: /silent for 300ms/ });
  t.equal(text, 'Half ');
});

t.test(
  'a silent stream carries comments, and its status comes before its first word',
  async (t) => {
    const model = await startModelServer(t, hangsAfter());
    const { url } = await startGateway(t, {
      assignment: { agent: openaiAgent(model.baseUrl) },
      timings: { sseKeepaliveMs: 30 },
    });
    const response = await within(
      post(url, JSON.stringify({ ...ask('x'), stream: true })),
      'the head',
    );
    t.equal(response.status, 200);
    t.match(response.headers.get('Content-Type'), /^text\/event-stream/);
    const reader = response.body?.getReader();
    let seen = '';
    await until(async () => {
      const piece = await reader?.read();
      seen += Buffer.from(piece?.value ?? []).toString();
      return (seen.match(/: keepalive\n\n/g) ?? []).length >= 2;
    }, 'two comments');
    await reader?.cancel();
  },
);

t.test(
  'readiness tells work, platforms and what is wrong; liveness only that it lives',
  async (t) => {
    const model = await startModelServer(t, hangsAfter('…'));
    const { url, gateway } = await startGateway(t, {
      assignment: { agent: openaiAgent(model.baseUrl) },
    });
    const running = await post(url, JSON.stringify({ ...ask('x'), stream: true }));
    const detailed = await fetch(`${url}/health/detailed`);
    t.equal(detailed.status, 200);
    t.match(await detailed.json(), {
      status: 'ready',
      ready: true,
      draining: false,
      detail: null,
      platforms: [
        { name: 'api-server', state: 'connected' },
        { name: 'local', state: 'connected' },
      ],
      work: {
        active: 1,
        units: [{ kind: 'api-run', id: /^turn-/, session: String, startedAt: Number }],
      },
    });
    const idle = new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.once('close', () => resolve());
      socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.once('data', () => {
        const drained = gateway.drain('stop', 20_000);
        void drained;
      });
    });
    await within(idle, 'the end of the idle connection');
    const draining = await fetch(`${url}/health/detailed`);
    t.equal(draining.status, 503);
    t.match(await draining.json(), { status: 'draining', ready: false, draining: true });
    t.match(await (await fetch(`${url}/health`)).json(), { status: 'draining' });
    const refused = await post(url, JSON.stringify(ask('new')));
    t.equal(refused.status, 503);
    t.match(refused.headers.get('Retry-After'), /^\d+$/);
    t.equal(refused.headers.get('Connection'), 'close');
    const error = await clientOf(url)
      .chat.completions.create(ask('new'))
      .catch((thrown: unknown) => thrown);
    t.ok(error instanceof InternalServerError);
    t.match(error, { status: 503, code: 'gateway-draining' });
    gateway.hurry();
    const text = await within(running.text(), 'the end of the run');
    t.match(text, /turn-interrupted/, 'the run that was cut off is told inside its stream');
  },
);

t.test('a keep-alive connection is refused while draining, and closed', async (t) => {
  const model = await startModelServer(t, hangsAfter('…'));
  const { url, gateway } = await startGateway(t, {
    assignment: { agent: openaiAgent(model.baseUrl) },
  });
  const held = await post(url, JSON.stringify({ ...ask('x'), stream: true }));
  const body = JSON.stringify(ask('second'));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // the head of a request keeps the connection in use while the drain begins
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
  );
  await until(async () => (await fetch(`${url}/health`)).ok, 'an answer');
  const drained = gateway.drain('restart', 20_000);
  socket.write(`\r\n${body}`);
  await within(closed, 'the end of the connection');
  t.match(received, /^HTTP\/1.1 503 /);
  t.match(received, /\r\nConnection: close\r\n/i);
  gateway.hurry();
  await held.text();
  t.match(await drained, { clean: false, interrupted: [{ kind: 'api-run' }], running: [] });
});
