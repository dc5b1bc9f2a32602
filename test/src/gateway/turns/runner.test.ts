import { join } from 'node:path';
import t from 'tap';
import { GatewardenError } from '../../../../src/core/errors.js';
import type { AgentDriver, AgentRequest } from '../../../../src/gateway/agents/port.js';
import { TurnClaims } from '../../../../src/gateway/processes/turn-claims.js';
import { openSessionStore } from '../../../../src/gateway/sessions/store.js';
import type { InboundMessage } from '../../../../src/gateway/turns/inbound.js';
import { MAX_WAITING, TurnRunner } from '../../../../src/gateway/turns/runner.js';
import { shortDir } from '../../../support/gateway-assignment.js';
import { until, within } from '../../../support/gateway-within.js';

type Answer = (request: AgentRequest) => Promise<string>;

/** An agent whose every turn the test ends by hand. */
class HeldAgent implements AgentDriver {
  readonly historyMessages = 10;
  readonly requests: AgentRequest[] = [];
  readonly #answers: Answer[] = [];

  plan(...answers: Answer[]): void {
    this.#answers.push(...answers);
  }

  async run(request: AgentRequest) {
    this.requests.push(request);
    const answer = this.#answers.shift() ?? (async () => 'ok');
    return { text: await answer(request), finishReason: 'stop', usage: undefined } as const;
  }
}

/** Ends when its signal is aborted, as an agent should. */
const hangs: Answer = ({ signal, onDelta }) => {
  onDelta('half');
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
};

function gate(): { open: () => void; answer: Answer } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, answer: () => opened.then(() => 'late') };
}

async function setUp(t: { teardown(action: () => unknown): unknown }) {
  const path = join(shortDir(t), 'state.db');
  const store = await openSessionStore({ path, onHealth: () => {} });
  t.teardown(() => store.close());
  const agent = new HeldAgent();
  const changes: number[] = [];
  const claims = new TurnClaims({ processes: () => [], reap: () => {} });
  const turns: TurnRunner = new TurnRunner({
    profile: 'default',
    store,
    agent,
    onWork: () => changes.push(turns.work.length),
    claims,
    inactivity: { limitMs: 0, warningMs: 0, noteMs: 0 },
  });
  const say = (text: string, more: Partial<InboundMessage> = {}) =>
    within(
      turns.submit({
        platform: 'local',
        conversation: { kind: 'stored', chatId: undefined },
        text,
        messageId: undefined,
        maxTokens: undefined,
        workKind: 'turn',
        onDelta: () => {},
        signal: new AbortController().signal,
        ...more,
      }),
      `the outcome of ${text}`,
    );
  return { path, store, agent, turns, say, changes };
}

const KEY = 'agent:main:local:dm';

t.test('the agent is given the conversation so far, and the answer is remembered', async (t) => {
  const { agent, say } = await setUp(t);
  agent.plan(async () => 'hi');
  t.match(await say('hello'), { kind: 'answered', text: 'hi' });
  await say('again');
  t.strictSame(agent.requests[1]?.messages, [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'again' },
  ]);
});

t.test('one conversation has one turn at a time, in order; others do not wait', async (t) => {
  const { agent, say, turns } = await setUp(t);
  const first = gate();
  agent.plan(first.answer);
  const outcomes = [say('one'), say('two'), say('three')];
  const other = await say('else', { conversation: { kind: 'stored', chatId: 'other' } });
  t.equal(other.kind, 'answered');
  t.equal(turns.work.length, 1);
  first.open();
  await Promise.all(outcomes);
  const texts = agent.requests.map(({ messages }) => messages.at(-1)?.content);
  t.strictSame(texts, ['one', 'else', 'two', 'three']);
});

t.test('a conversation holds so many waiting messages and tells the next one', async (t) => {
  const { agent, say } = await setUp(t);
  const first = gate();
  agent.plan(first.answer);
  const taken = Array.from({ length: MAX_WAITING + 1 }, (_, index) => say(`${index}`));
  const refused = await say('too many');
  t.match(refused, { kind: 'refused', error: { code: 'queue-full' }, retryAfterMs: Number });
  first.open();
  const kinds = (await Promise.all(taken)).map(({ kind }) => kind);
  t.ok(kinds.every((kind) => kind === 'answered'));
});

t.test('the same message runs once, and again after it failed', async (t) => {
  const { agent, say } = await setUp(t);
  agent.plan(async () => {
    throw new GatewardenError('turn-failed', { profile: 'default', reason: 'no', hint: 'later' });
  });
  t.match(await say('x', { messageId: 'm1' }), { kind: 'failed', error: { code: 'turn-failed' } });
  t.equal((await say('x', { messageId: 'm1' })).kind, 'answered');
  t.match(await say('x', { messageId: 'm1' }), {
    kind: 'refused',
    error: { code: 'message-repeated' },
  });
  const elsewhere = { conversation: { kind: 'stored', chatId: 'b' }, messageId: 'm1' } as const;
  t.equal(
    (await say('x', elsewhere)).kind,
    'answered',
    'the same id in another chat is another message',
  );
  t.equal((await say('x')).kind, 'answered', 'a message without an id is never a repetition');
});

t.test('a caller that leaves cuts its turn off; what was shown is kept', async (t) => {
  const { agent, say, store } = await setUp(t);
  agent.plan(hangs);
  const caller = new AbortController();
  const outcome = say('hello', { signal: caller.signal });
  await until(() => agent.requests.length === 1, 'the start');
  caller.abort();
  t.match(await outcome, { kind: 'interrupted', error: { code: 'turn-interrupted' } });
  const id = store.openSession(KEY)?.id ?? '';
  t.strictSame(store.history(id, 5), [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'half' },
  ]);
  t.equal(store.openSession(KEY)?.resumePending, false);
});

t.test(
  'a drain marks what runs before it waits, and takes the mark back from what finishes',
  async (t) => {
    const { agent, say, turns, store } = await setUp(t);
    const first = gate();
    agent.plan(first.answer);
    const running = say('one');
    await until(() => agent.requests.length === 1, 'the start');
    const waiting = say('two');
    turns.refuse('shutdown_timeout');
    t.equal(store.openSession(KEY)?.resumePending, true);
    t.match(await waiting, {
      kind: 'refused',
      error: { code: 'gateway-draining' },
      retryAfterMs: Number,
    });
    t.match(await say('three'), { kind: 'refused', error: { code: 'gateway-draining' } });
    first.open();
    t.equal((await running).kind, 'answered');
    t.strictSame(turns.observed, []);
    t.equal(store.openSession(KEY)?.resumePending, false);
  },
);

t.test('an interrupted turn leaves its mark, and the next turn is told once', async (t) => {
  const { agent, say, turns, store, path } = await setUp(t);
  agent.plan(hangs);
  const running = say('one');
  await until(() => agent.requests.length === 1, 'the start');
  turns.refuse('restart_timeout');
  turns.interruptAll();
  t.match(await running, { kind: 'interrupted', retryAfterMs: Number });
  t.equal(store.openSession(KEY)?.resumePending, true);
  store.close();

  const reopened = await openSessionStore({ path, onHealth: () => {} });
  t.teardown(() => reopened.close());
  const next = new TurnRunner({
    profile: 'default',
    store: reopened,
    agent,
    onWork: () => {},
    claims: new TurnClaims({ processes: () => [], reap: () => {} }),
    inactivity: { limitMs: 0, warningMs: 0, noteMs: 0 },
  });
  const message: InboundMessage = {
    platform: 'local',
    conversation: { kind: 'stored', chatId: undefined },
    text: 'two',
    messageId: undefined,
    maxTokens: undefined,
    workKind: 'turn',
    onDelta: () => {},
    signal: new AbortController().signal,
  };
  await next.submit(message);
  t.match(agent.requests[1]?.messages[2], { role: 'system', content: /cut off by a restart/ });
  await next.submit({ ...message, text: 'three' });
  t.ok(agent.requests[2]?.messages.every(({ role }) => role !== 'system'));
});

t.test('a new conversation starts without the old one', async (t) => {
  const { agent, say, turns } = await setUp(t);
  const first = await say('one');
  turns.renew('local', undefined);
  const second = await say('two');
  t.strictSame(agent.requests[1]?.messages, [{ role: 'user', content: 'two' }]);
  t.not('sessionId' in first && first.sessionId, 'sessionId' in second && second.sessionId);
});

t.test(
  'a stateless call sees only what it brought, and is kept as a session of its own',
  async (t) => {
    const { agent, say, store } = await setUp(t);
    const messages = [{ role: 'user', content: 'mine' }] as const;
    await say('mine', { conversation: { kind: 'stateless', messages } });
    await say('mine', { conversation: { kind: 'stateless', messages } });
    t.strictSame(agent.requests[1]?.messages, messages);
    t.equal(store.openSession(KEY), undefined);
  },
);

t.test('an agent that breaks is a failed turn, not the end of the gateway', async (t) => {
  const { agent, say, changes } = await setUp(t);
  agent.plan(async () => {
    throw new TypeError('x is not a function');
  });
  t.match(await say('one'), { kind: 'failed', error: { code: 'invariant-broken' } });
  t.equal((await say('two')).kind, 'answered');
  t.strictSame(changes, [1, 0, 1, 0]);
});
