import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { ChatConnection } from '../../../../src/cli/chat/connection.js';
import { askOnce, readMessage } from '../../../../src/cli/chat/pipe.js';
import type { FromChat, ToChat } from '../../../../src/core/local-protocol.js';
import { LOCAL_LINE_MAX_BYTES } from '../../../../src/core/local-protocol.js';
import { startChatServer } from '../../../support/chat-server.js';
import { type Scope, scratchHome } from '../../../support/run-cli.js';

type Answer = Parameters<typeof startChatServer>[1];

async function scene(t: Scope, answer: Answer, patienceMs = 60_000) {
  const path = join(scratchHome(t).root, 'l.sock');
  const server = await startChatServer(path, answer);
  t.teardown(() => server.close());
  const notices: string[] = [];
  const ask = (text: string) =>
    askOnce(text, {
      profile: 'coder',
      open: () => ChatConnection.open(path),
      patienceMs,
      notice: (line) => notices.push(line),
    });
  return { ask, notices, server };
}

const final = (text: string): ToChat => ({ code: 'final', turn: 't', text });
const refusal = (turn: string | null, retryAfterMs: number | null): ToChat => ({
  code: 'error',
  turn,
  retryAfterMs,
  error: { code: 'gateway-draining', message: 'it is restarting', next: 'send it again' },
});
const idOf = (message: FromChat | undefined) =>
  message?.code === 'message' ? message.id : undefined;

t.test('the final text is the answer, whatever was streamed before it', async (t) => {
  const { ask } = await scene(t, (_, send) => {
    send({ code: 'delta', turn: 't', text: 'draft' });
    send(final('héllo\n世界'));
  });
  t.equal(await ask('hi'), 'héllo\n世界');
});

t.test('a message that was not taken is sent again with the same id', async (t) => {
  let tries = 0;
  const { ask, notices, server } = await scene(t, (_, send) => {
    tries++;
    send(tries < 3 ? refusal(null, 1) : final('done'));
  });
  t.equal(await ask('hi'), 'done');
  t.equal(server.heard.length, 3);
  t.equal(new Set(server.heard.map(idOf)).size, 1);
  t.strictSame(notices, [
    'it is restarting; sending it again',
    'it is restarting; sending it again',
  ]);
});

t.test('patience ends, and then the refusal is the error', async (t) => {
  const { ask } = await scene(t, (_, send) => send(refusal(null, 1)), 20);
  await t.rejects(ask('hi'), { code: 'gateway-draining', message: 'it is restarting' });
});

t.test('a turn that failed is never run a second time', async (t) => {
  const { ask, server } = await scene(t, (_, send) => send(refusal('t', 1)));
  await t.rejects(ask('hi'), { code: 'gateway-draining', next: 'send it again' });
  t.equal(server.heard.length, 1);
});

t.test('an answer that breaks off is an error that says what to look at', async (t) => {
  const { ask, server } = await scene(t, (_, send, socket) => {
    send({ code: 'delta', turn: 't', text: 'half' });
    socket.end();
  });
  await t.rejects(ask('hi'), { code: 'turn-failed', message: /before the answer was complete/ });
  t.equal(server.heard.length, 1);
});

t.test('a foreign program on the socket is told from a gateway', async (t) => {
  const { ask } = await scene(t, (_, __, socket) => socket.write('HTTP/1.1 400 Bad Request\n'));
  await t.rejects(ask('hi'), { code: 'protocol-broken' });
});

t.test('stdin is one message without its last newline', async (t) => {
  const read = (...parts: (string | Buffer)[]) =>
    readMessage(Readable.from(parts.map((part) => Buffer.from(part))));
  t.equal(await read('two\nlines\n'), 'two\nlines');
  t.equal(await read('dos\r\n'), 'dos');
  const split = Buffer.from('世界');
  t.equal(await read(split.subarray(0, 2), split.subarray(2)), '世界');
  await t.rejects(read(''), { code: 'bad-argument', message: /got nothing/ });
  await t.rejects(read(' \n\n'), { code: 'bad-argument' });
  await t.rejects(read(Buffer.from([0xff, 0xfe])), { message: /expected UTF-8 text on stdin/ });
  await t.rejects(read('x'.repeat(LOCAL_LINE_MAX_BYTES + 1)), { message: /at most \d+ bytes/ });
});
