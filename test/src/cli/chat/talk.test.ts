import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { ChatConnection } from '../../../../src/cli/chat/connection.js';
import { talk } from '../../../../src/cli/chat/talk.js';
import { PLAIN } from '../../../../src/cli/paint.js';
import { startChatServer } from '../../../support/chat-server.js';
import { type Scope, scratchHome } from '../../../support/run-cli.js';

/** A conversation on streams, as a terminal would hold it. */
async function conversation(t: Scope, answer: Parameters<typeof startChatServer>[1]) {
  const path = join(scratchHome(t).root, 'l.sock');
  const server = await startChatServer(path, answer);
  t.teardown(() => server.close());
  const input = new PassThrough();
  const output = new PassThrough({ encoding: 'utf8' });
  let shown = '';
  const waiting = new Set<() => void>();
  const show = (text: string) => {
    shown += text;
    for (const look of waiting) look();
  };
  output.on('data', show);
  const done = talk({
    profile: 'coder',
    open: () => ChatConnection.open(path),
    input,
    output,
    paint: PLAIN,
    notice: (line) => show(`${line}\n`),
    terminal: true,
  });
  const until = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!shown.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { done, input, server, shown: () => shown, until };
}

t.test('an answer streams, and its end is not shown twice', async (t) => {
  const { done, input, shown, until } = await conversation(t, (_, send) => {
    send({ code: 'delta', turn: 't', text: 'Hel' });
    send({ code: 'final', turn: 't', text: 'Hello!' });
  });
  input.write('hi\r');
  await until('Hello!\n');
  input.end();
  await done;
  t.equal(shown().split('Hel').length, 2, 'once');
});

t.test('a final text that differs from what was streamed is shown in full', async (t) => {
  const { done, input, until } = await conversation(t, (_, send) => {
    send({ code: 'delta', turn: 't', text: 'draft' });
    send({ code: 'final', turn: 't', text: 'the truth' });
  });
  input.write('hi\r');
  await until('draft\nthe truth\n');
  input.end();
  await done;
  t.pass('and Ctrl-D leaves');
});

t.test('Ctrl-C stops the answer, not the conversation', async (t) => {
  let turns = 0;
  let isLeft = false;
  const { done, input, until } = await conversation(t, (_, send, socket) => {
    turns++;
    socket.once('close', () => {
      isLeft = true;
    });
    send({ code: 'delta', turn: 't', text: `turn ${turns} ` });
    if (turns === 2) send({ code: 'final', turn: 't', text: 'turn 2 is whole' });
  });
  input.write('hi\r');
  await until('turn 1');
  input.write('\u0003');
  await until('(stopped)');
  input.write('again\r');
  await until('turn 2 is whole\n');
  t.equal(isLeft, true, 'the gateway learned that nobody waits');
  input.end();
  await done;
});

t.test('/new begins a new conversation', async (t) => {
  const { done, input, server, until } = await conversation(t, (_, send) => {
    send({ code: 'renewed' });
  });
  input.write('/new\r');
  await until('(a new conversation)');
  t.strictSame(server.heard, [{ code: 'new' }]);
  input.end();
  await done;
});

t.test('an error is told and the conversation goes on; escapes are taken out', async (t) => {
  let turns = 0;
  const { done, input, shown, until } = await conversation(t, (_, send) => {
    turns++;
    if (turns === 2) return send({ code: 'final', turn: 't', text: 'fine\u001b[2J\u0007' });
    send({
      code: 'error',
      turn: 't',
      retryAfterMs: null,
      error: { code: 'turn-failed', message: 'no answer', next: 'look at the key' },
    });
  });
  input.write('hi\r');
  await until('gatewarden: error: no answer (turn-failed)\n  next: look at the key\n');
  input.write('again\r');
  await until('fine\n');
  t.notMatch(shown(), '\u0007');
  input.end();
  await done;
});

t.test('what the agent says of its own accord is told beside the answer', async (t) => {
  const { done, input, shown, until } = await conversation(t, (_, send) => {
    send({ code: 'notice', session: null, turn: 'n', text: 'the build has ended\u0007' });
    send({ code: 'final', turn: 't', text: 'Hello!' });
  });
  input.write('hi\r');
  await until('Hello!\n');
  t.match(shown(), /the build has ended\n/);
  t.notMatch(shown(), '\u0007');
  input.end();
  await done;
});
