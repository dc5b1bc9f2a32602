import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import t from 'tap';
import type { AgentSettings } from '../../../../../src/core/assignment.js';
import { ChatClient } from '../../../../support/gateway-chat-client.js';
import { startGateway } from '../../../../support/gateway-in-process.js';
import { hangsAfter, says, startModelServer } from '../../../../support/gateway-model-server.js';
import { until } from '../../../../support/gateway-within.js';

type Test = { teardown(action: () => unknown): unknown };

async function chatWith(t: Test, agent: AgentSettings = { driver: 'echo' }) {
  const running = await startGateway(t, { assignment: { agent, apiServer: undefined } });
  const client = new ChatClient(running.socket);
  t.teardown(() => client.socket.destroy());
  return { ...running, client };
}

function modelAgent(baseUrl: string): AgentSettings {
  return {
    driver: 'openai',
    baseUrl,
    apiKey: undefined,
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

t.test('a message is answered by its pieces and one final with the whole text', async (t) => {
  const { client, socket } = await chatWith(t);
  t.equal(statSync(socket).mode & 0o777, 0o600, 'the socket is private');
  t.match(await client.line('welcome'), { profile: 'default', version: String });
  client.send({ code: 'message', text: 'one two' });
  const { turn, text } = await client.line('final');
  t.equal(text, 'one two');
  t.strictSame(
    client.lines.filter(({ code }) => code === 'delta'),
    [
      { code: 'delta', turn, text: 'one ' },
      { code: 'delta', turn, text: 'two' },
    ],
  );
});

t.test('conversations are told apart by name, and begin anew when asked', async (t) => {
  const model = await startModelServer(t, says(['ok']));
  const { client } = await chatWith(t, modelAgent(model.baseUrl));
  const say = async (text: string, session?: string) => {
    const nth = model.calls.length + 1;
    client.send({ code: 'message', text, ...(session === undefined ? {} : { session }) });
    await client.line('final', nth);
    return model.calls.at(-1)?.body.messages.map(({ content }) => content);
  };
  t.strictSame(await say('one'), ['one']);
  t.strictSame(await say('two', 'other'), ['two']);
  t.strictSame(await say('three'), ['one', 'ok', 'three']);
  client.send({ code: 'new' });
  await client.line('renewed');
  t.strictSame(await say('four'), ['four']);
  t.strictSame(await say('five', 'other'), ['two', 'ok', 'five']);
});

t.test('a broken line is told and the connection lives on', async (t) => {
  const { client } = await chatWith(t);
  client.socket.write(Buffer.from([0xff, 0xfe, 0x0a]));
  client.socket.write('{"code":"nonsense"}\n');
  t.match(await client.line('error', 2), {
    turn: null,
    error: { code: 'bad-argument', message: /nonsense/, next: /one JSON object per line/ },
    retryAfterMs: null,
  });
  client.send({ code: 'message', text: 'still there' });
  t.equal((await client.line('final')).text, 'still there');
});

for (const [name, leave] of [
  ['that is gone', (socket: Socket) => socket.destroy()],
  ['that closes its side', (socket: Socket) => socket.end()],
] as const)
  t.test(`a client ${name} has left: its turn ends`, async (t) => {
    const model = await startModelServer(t, hangsAfter('…'));
    const { client, reports } = await chatWith(t, modelAgent(model.baseUrl));
    client.send({ code: 'message', text: 'hello' });
    await client.line('delta');
    await until(() => reports.at(-1)?.work[0]?.kind === 'turn', 'the report');
    leave(client.socket);
    await until(() => reports.at(-1)?.work.length === 0, 'the end of the turn');
  });

t.test('the same message id is taken once', async (t) => {
  const { client } = await chatWith(t);
  client.send({ code: 'message', text: 'hello', id: 'm1' });
  await client.line('final');
  client.send({ code: 'message', text: 'hello', id: 'm1' });
  t.match(await client.line('error'), { error: { code: 'message-repeated' } });
});

t.test(
  'a drain is told to every client; new messages may come again, running ones end',
  async (t) => {
    const model = await startModelServer(t, hangsAfter('half'));
    const { client, gateway } = await chatWith(t, modelAgent(model.baseUrl));
    client.send({ code: 'message', text: 'running' });
    await client.line('delta');
    const drained = gateway.drain('restart', 20_000);
    t.match(await client.line('draining'), { retryAfterMs: Number });
    client.send({ code: 'message', text: 'late' });
    t.match(await client.line('error'), {
      turn: null,
      error: { code: 'gateway-draining' },
      retryAfterMs: Number,
    });
    gateway.hurry();
    t.match(await client.line('error', 2), {
      turn: /^turn-/,
      error: { code: 'turn-interrupted' },
      retryAfterMs: Number,
    });
    await client.closed();
    t.match(await drained, { clean: false, interrupted: [{ kind: 'turn' }], running: [] });
  },
);
