import t from 'tap';
import { createOpenaiDriver } from '../../../../../src/gateway/agents/openai/driver.js';
import { MAX_STEPS } from '../../../../../src/gateway/agents/openai/tool-loop.js';
import { createLog } from '../../../../../src/gateway/log.js';
import { ToolRefusal } from '../../../../../src/gateway/processes/refusal.js';
import type { Tool } from '../../../../../src/gateway/tools/port.js';
import { callsTools, resultsIn } from '../../../../support/gateway-model-calls.js';
import {
  breaksAfter,
  fails,
  type ModelStep,
  openStream,
  says,
  sendEvent,
  startModelServer,
} from '../../../../support/gateway-model-server.js';
import { until, within } from '../../../../support/gateway-within.js';

const parameters = { type: 'object', properties: {} };

/** Answers with what it was given. */
const ECHO: Tool = {
  name: 'echo',
  description: 'says it again',
  parameters,
  run: async (input) => JSON.stringify({ echo: input }),
};

async function setUp(
  t: { teardown(action: () => unknown): unknown },
  tools: readonly Tool[],
  ...script: ModelStep[]
) {
  const model = await startModelServer(t, ...script);
  const deltas: string[] = [];
  const logLines: string[] = [];
  const driver = createOpenaiDriver(
    {
      driver: 'openai',
      baseUrl: model.baseUrl,
      apiKey: 'key',
      model: 'fake',
      systemPrompt: 'be useful',
      timeoutMs: 10_000,
      maxRetries: 1,
      maxTokens: undefined,
      temperature: undefined,
      historyMessages: 10,
      tools: [],
    },
    { profile: 'p', secrets: [], log: createLog((line) => logLines.push(line), {}), tools },
  );
  let activity = 0;
  const ask = (signal = new AbortController().signal) =>
    driver.run({
      messages: [{ role: 'user', content: 'do it' }],
      sessionId: 's',
      turnId: 't',
      maxTokens: undefined,
      onDelta: (text) => deltas.push(text),
      onActivity: () => activity++,
      signal,
    });
  return { model, deltas, logLines, ask, activity: () => activity };
}

t.test('calls are put together, run, fed back, and the words around them are kept', async (t) => {
  const two = [
    { name: 'echo', input: { first: 'äöü "quoted"' } },
    { name: 'echo', input: { second: 2 } },
  ];
  const { ask, model, deltas, activity } = await setUp(
    t,
    [ECHO],
    callsTools(two, 'I look.'),
    says(['It is ', 'so.']),
  );
  const answer = await ask();
  t.equal(answer.text, 'I look.\n\nIt is so.');
  t.equal(deltas.join(''), answer.text, 'all deltas together are the text');
  t.ok(activity() > 2);
  const [first, second] = model.calls;
  t.match(first?.body.tools, [{ type: 'function', function: { name: 'echo', parameters } }]);
  t.match(second?.body.messages.slice(2), [
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'call-0', function: { name: 'echo', arguments: '{"first":"äöü \\"quoted\\""}' } },
        { id: 'call-1', function: { name: 'echo', arguments: '{"second":2}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call-0' },
    { role: 'tool', tool_call_id: 'call-1' },
  ]);
  t.strictSame(second && resultsIn(second), [
    { echo: { first: 'äöü "quoted"' } },
    { echo: { second: 2 } },
  ]);
});

t.test('a driver without tools never mentions them', async (t) => {
  const { ask, model } = await setUp(t, [], says(['hi']));
  await ask();
  t.notOk('tools' in (model.calls[0]?.body ?? {}));
});

t.test('whatever is wrong with a call is told to the model, which goes on', async (t) => {
  const broken: Tool = {
    ...ECHO,
    name: 'broken',
    run: async () => {
      throw new TypeError('x is not a function');
    },
  };
  const picky: Tool = {
    ...ECHO,
    name: 'picky',
    run: async () => {
      throw new ToolRefusal('expected something else');
    },
  };
  const { ask, model, logLines } = await setUp(
    t,
    [ECHO, broken, picky],
    callsTools([
      { name: 'nothing', input: {} },
      { name: 'echo', input: '{"cut": "of' },
      { name: 'echo', input: '[1]' },
      { name: 'echo', input: '' },
      { name: 'broken', input: {} },
      { name: 'picky', input: {} },
    ]),
    says(['ok']),
  );
  t.equal((await ask()).text, 'ok');
  const call = model.calls[1];
  t.match(call && resultsIn(call), [
    { error: /no tool is named nothing; known: echo, broken, picky/ },
    { error: /JSON/ },
    { error: /JSON object/ },
    { echo: {} },
    { error: /broke inside/ },
    { error: 'expected something else' },
  ]);
  t.match(logLines.join(''), /x is not a function/, 'a bug of ours is in the log');
});

t.test('a model that never comes to its end is made to', async (t) => {
  const { ask, model } = await setUp(t, [ECHO], callsTools([{ name: 'echo', input: {} }]));
  const answer = await ask();
  t.equal(answer.finishReason, 'length');
  t.equal(model.calls.length, MAX_STEPS + 1);
  t.equal(model.calls.at(-1)?.body.tool_choice, 'none');
});

t.test('too many calls at once are not run', async (t) => {
  const calls = Array.from({ length: 40 }, () => ({ name: 'echo', input: {} }));
  const { ask, model } = await setUp(t, [ECHO], callsTools(calls), says(['ok']));
  await ask();
  const call = model.calls[1];
  const results = call === undefined ? [] : resultsIn(call);
  t.equal(results.length, 40, 'each call has its answer');
  t.match(results[39], { error: /at most 32/ });
});

t.test('old results make room for new ones', async (t) => {
  const large: Tool = { ...ECHO, run: async () => JSON.stringify('x'.repeat(100_000)) };
  const step = callsTools([{ name: 'echo', input: {} }]);
  const { ask, model } = await setUp(t, [large], step, step, step, says(['ok']));
  await ask();
  const lengths = model.calls[3]?.body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content.length > 1000);
  t.strictSame(lengths, [false, true, true]);
});

t.test('an abort in the middle of a tool ends the turn and asks nothing more', async (t) => {
  let started = false;
  const hangs: Tool = {
    ...ECHO,
    run: (_, { signal }) => {
      started = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const { ask, model } = await setUp(t, [hangs], callsTools([{ name: 'echo', input: {} }]));
  const cut = new AbortController();
  const running = ask(cut.signal);
  await until(() => started, 'the tool');
  cut.abort(new Error('enough'));
  await t.rejects(within(running, 'the end'), { message: 'enough' });
  t.equal(model.calls.length, 1);
});

t.test('a step that failed before it said anything is asked again, its tools once', async (t) => {
  let runs = 0;
  const counts: Tool = { ...ECHO, run: async () => JSON.stringify({ runs: ++runs }) };
  const { ask, model } = await setUp(
    t,
    [counts],
    callsTools([{ name: 'echo', input: {} }], 'I look.'),
    fails(503, { message: 'later' }, { 'Retry-After': '0' }),
    says(['done']),
  );
  t.equal((await ask()).text, 'I look.\n\ndone');
  t.equal(runs, 1);
  t.equal(model.calls.length, 3);
});

t.test('a stream that breaks in the middle of a call runs nothing', async (t) => {
  let runs = 0;
  const counts: Tool = { ...ECHO, run: async () => String(++runs) };
  const { ask } = await setUp(t, [counts], breaksAfter('I look'));
  await t.rejects(ask(), { code: 'turn-failed' });
  t.equal(runs, 0);
});

t.test('servers that say less are understood: no index, no id, another end', async (t) => {
  const loose: ModelStep = (response) => {
    openStream(response);
    const tool_calls = [
      { id: 'a', function: { name: 'echo', arguments: '{"n":1}' } },
      { id: 'b', function: { name: 'echo', arguments: '{"n":' } },
      { id: 'b', function: { arguments: '2}' } },
    ];
    for (const one of tool_calls) {
      const delta = { tool_calls: [one] };
      sendEvent(response, { choices: [{ index: 0, delta, finish_reason: null }] });
    }
    sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    response.end('data: [DONE]\n\n');
  };
  const { ask, model } = await setUp(t, [ECHO], loose, says(['ok']));
  t.equal((await ask()).text, 'ok');
  const call = model.calls[1];
  t.strictSame(call && resultsIn(call), [{ echo: { n: 1 } }, { echo: { n: 2 } }]);
});
