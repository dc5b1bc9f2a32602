import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import t from 'tap';
import type { OpenaiSettings } from '../../../../../src/core/assignment.js';
import { GatewardenError } from '../../../../../src/core/errors.js';
import { createOpenaiDriver } from '../../../../../src/gateway/agents/openai/driver.js';
import { createLog } from '../../../../../src/gateway/log.js';
import {
  breaksAfter,
  endsAfter,
  fails,
  hangsAfter,
  type ModelServer,
  type ModelStep,
  openStream,
  says,
  sendDelta,
  sendEvent,
  startModelServer,
} from '../../../../support/gateway-model-server.js';
import { until, within } from '../../../../support/gateway-within.js';

const KEY = 'sk-very-secret-key-123';

interface Ask {
  readonly settings?: Partial<OpenaiSettings>;
  readonly signal?: AbortSignal;
  readonly maxTokens?: number;
}

function createAsker(baseUrl: string) {
  const deltas: string[] = [];
  const logLines: string[] = [];
  const ask = ({ settings, signal, maxTokens }: Ask = {}) => {
    const driver = createOpenaiDriver(
      {
        driver: 'openai',
        baseUrl,
        apiKey: KEY,
        model: 'fake',
        systemPrompt: undefined,
        timeoutMs: 10_000,
        maxRetries: 2,
        maxTokens: undefined,
        temperature: undefined,
        historyMessages: 10,
        tools: [],
        ...settings,
      },
      {
        profile: 'coder',
        secrets: [KEY],
        log: createLog((line) => logLines.push(line), {}),
        tools: [],
      },
    );
    return driver.run({
      messages: [{ role: 'user', content: 'hello' }],
      sessionId: 's1',
      turnId: 't1',
      maxTokens,
      onDelta: (text) => deltas.push(text),
      signal: signal ?? new AbortController().signal,
    });
  };
  return { ask, deltas, logLines };
}

async function refusal(promise: Promise<unknown>): Promise<GatewardenError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof GatewardenError) return thrown;
  throw new Error(`expected a refusal, got ${thrown}`);
}

async function askScript(t: { teardown(action: () => unknown): unknown }, ...script: ModelStep[]) {
  const model = await startModelServer(t, ...script);
  return { model, ...createAsker(model.baseUrl) };
}

t.test('streams the answer and counts as the model counts', async (t) => {
  const { ask, deltas, model } = await askScript(t, says(['Hel', 'lo', '!']));
  const answer = await ask({ settings: { systemPrompt: 'be brief', temperature: 0.5 } });
  t.strictSame(deltas, ['Hel', 'lo', '!']);
  t.strictSame(answer, {
    text: 'Hello!',
    finishReason: 'stop',
    usage: { promptTokens: 7, completionTokens: 3 },
  });
  t.match(model.calls[0]?.body, {
    model: 'fake',
    stream: true,
    temperature: 0.5,
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hello' },
    ],
  });
  t.equal(model.calls[0]?.headers.authorization, `Bearer ${KEY}`);
});

t.test(
  'an answer that was cut by its limit says so, and the smaller limit is asked for',
  async (t) => {
    const { ask, model } = await askScript(t, says(['Hel'], 'length'));
    t.equal((await ask({ settings: { maxTokens: 50 }, maxTokens: 9 })).finishReason, 'length');
    t.equal(model.calls[0]?.body.max_tokens, 9);
  },
);

t.test('without a key no Authorization header is sent', async (t) => {
  const { ask, model } = await askScript(t, says(['ok']));
  await ask({ settings: { apiKey: undefined } });
  t.equal(model.calls[0]?.headers.authorization, undefined);
});

t.test('a busy model is asked again after the time it names', async (t) => {
  const { ask, model, logLines } = await askScript(
    t,
    fails(429, { message: 'slow down' }, { 'Retry-After': '0.05' }),
    fails(503, { message: 'overloaded' }, { 'Retry-After': '0' }),
    says(['ok']),
  );
  t.equal((await ask()).text, 'ok');
  t.equal(model.calls.length, 3);
  const waits = logLines.map((line) => JSON.parse(line));
  t.match(waits, [
    { tries: 1, afterMs: 50, reason: 'the rate limit was met' },
    { tries: 2, afterMs: 0 },
  ]);
});

t.test(
  'a model that stays busy is given up after the last retry, and the tries are told',
  async (t) => {
    const { ask, model } = await askScript(
      t,
      fails(503, { message: 'busy' }, { 'Retry-After': '0' }),
    );
    const error = await refusal(ask());
    t.equal(error.code, 'turn-failed');
    t.match(error.message, /503: busy.*after 3 tries/);
    t.equal(model.calls.length, 3);
  },
);

const FINAL: readonly (readonly [string, ModelStep, RegExp, RegExp])[] = [
  [
    'a wrong key',
    fails(401, { message: `Incorrect API key: ${KEY}` }),
    /refused the key/,
    /agent\.api_key/,
  ],
  ['a forbidden model', fails(403), /refused the key/, /agent\.api_key/],
  [
    'an unknown model',
    fails(404, { message: 'no such model' }),
    /does not know fake/,
    /agent\.model \(fake\) or agent\.base_url/,
  ],
  [
    'a conversation that is too long',
    fails(400, { message: 'too long', code: 'context_length_exceeded' }),
    /too long for fake/,
    /new conversation.*agent\.history_messages/,
  ],
  [
    'a request it does not take',
    fails(400, { message: 'bad temperature' }),
    /400: bad temperature/,
    /agent\.model/,
  ],
  [
    'an empty account',
    fails(429, { message: 'pay', code: 'insufficient_quota' }),
    /no quota/,
    /agent\.api_key/,
  ],
];
for (const [name, step, reason, hint] of FINAL) {
  t.test(`${name} is told at once, with the setting to change and without the key`, async (t) => {
    const { ask, model } = await askScript(t, step);
    const error = await refusal(ask());
    t.equal(error.code, 'turn-failed');
    t.match(error.message, reason);
    t.match(error.next, hint);
    t.notMatch(`${error.message} ${error.next}`, KEY);
    t.equal(model.calls.length, 1);
  });
}

t.test('a model that falls silent is given up after the time-out, not asked again', async (t) => {
  const { ask, model } = await askScript(t, hangsAfter());
  const error = await refusal(within(ask({ settings: { timeoutMs: 80 } }), 'the time-out'));
  t.match(error.message, /silent for 80ms/);
  t.match(error.next, /agent\.timeout_seconds/);
  // a machine under load gives up before the request has even arrived
  t.ok(model.calls.length <= 1, `asked ${model.calls.length} times`);
});

t.test('every piece of text restarts the time-out', async (t) => {
  const slow: ModelStep = async (response) => {
    openStream(response);
    for (let piece = 0; piece < 8; piece++) {
      sendDelta(response, 'x');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    response.end();
  };
  const { ask } = await askScript(t, slow);
  t.equal((await ask({ settings: { timeoutMs: 400 } })).text, 'xxxxxxxx', '480 ms in all');
});

for (const [name, step] of [
  ['that breaks', breaksAfter('Half an ')],
  ['that ends without saying that it is finished', endsAfter('Half an ')],
] as const) {
  t.test(`a stream ${name} is never taken for an answer nor started again`, async (t) => {
    const { ask, deltas, model } = await askScript(t, step);
    const error = await refusal(ask());
    t.match(error.message, /the answer broke off/);
    t.strictSame(deltas, ['Half an ']);
    t.equal(model.calls.length, 1);
  });
}

t.test('an error inside the stream is told in the words of the model', async (t) => {
  const { ask } = await askScript(t, (response) => {
    openStream(response);
    response.end(`data: ${JSON.stringify({ error: { message: 'kaputt' } })}\n\n`);
  });
  t.match((await refusal(ask())).message, /kaputt/);
});

t.test(
  'a server that keeps the connection open after the end does not hang the turn',
  async (t) => {
    const { ask } = await askScript(t, (response) => {
      openStream(response);
      sendDelta(response, 'done');
      sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      response.write('data: [DONE]\n\n');
    });
    t.strictSame(await within(ask(), 'the answer'), {
      text: 'done',
      finishReason: 'stop',
      usage: undefined,
    });
  },
);

t.test('an address where nobody listens is tried again, then told', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { ask, logLines } = createAsker(`http://127.0.0.1:${port}/v1`);
  const error = await refusal(ask({ settings: { maxRetries: 1 } }));
  t.match(error.message, /cannot be reached: .*ECONNREFUSED.*after 2 tries/);
  t.match(error.next, /agent\.base_url/);
  t.equal(logLines.length, 1);
});

t.test('an aborted turn ends at once, in the stream and in a wait', async (t) => {
  for (const step of [hangsAfter('Hel'), fails(503, {}, { 'Retry-After': '60' })]) {
    const { ask, model } = await askScript(t, step);
    const controller = new AbortController();
    const asked = ask({ signal: controller.signal });
    await until(() => model.calls.length === 1, 'the call');
    controller.abort(new Error('enough'));
    await t.rejects(within(asked, 'the end'), { message: 'enough' });
  }
});

t.test('the environment of the process changes nothing', async (t) => {
  process.env.OPENAI_ORG_ID = 'org-foreign';
  process.env.OPENAI_API_KEY = 'sk-foreign';
  t.teardown(() => {
    delete process.env.OPENAI_ORG_ID;
    delete process.env.OPENAI_API_KEY;
  });
  const { ask, model }: { ask: (ask?: Ask) => Promise<unknown>; model: ModelServer } =
    await askScript(t, says(['ok']));
  await ask();
  t.equal(model.calls[0]?.headers['openai-organization'], undefined);
  t.equal(model.calls[0]?.headers.authorization, `Bearer ${KEY}`);
});
