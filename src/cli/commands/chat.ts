import { CLI_EXIT } from '../../core/exit-codes.js';
import { chooseChatProfile } from '../chat/find-socket.js';
import { openChat, PATIENCE } from '../chat/open.js';
import { askOnce, readMessage } from '../chat/pipe.js';
import { reach } from '../control/reach.js';
import type { Context, Invocation } from '../verb.js';

/** Talks to a profile: one message from a pipe, or a conversation in a terminal. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const text = terminal.inIsTty ? undefined : await readMessage(terminal.input);
  const first = await reach(home, env);
  const report = first.kind === 'answers' ? first.report : undefined;
  const profile = chooseChatProfile(invocation.words[0], report);
  let lastState = '';
  const open = () =>
    openChat({
      profile,
      home,
      env,
      ...PATIENCE,
      reach: () => reach(home, env),
      onWaiting: (state) => {
        if (state !== lastState) terminal.notice(`profile ${profile} is ${state}; waiting for it`);
        lastState = state;
      },
    });
  if (text !== undefined) {
    const { notice } = terminal;
    const answer = await askOnce(text, { profile, open, notice, ...PATIENCE });
    terminal.write(answer.endsWith('\n') ? answer : `${answer}\n`);
    return CLI_EXIT.done;
  }
  const { talk } = await import('../chat/talk.js');
  const connection = await open();
  connection.close();
  terminal.notice(`talking to ${profile}; /new begins a new conversation, Ctrl-D leaves`);
  await talk({
    profile,
    open,
    input: terminal.input,
    output: terminal.outIsTty ? process.stdout : process.stderr,
    paint: terminal.paint,
    notice: terminal.notice,
    terminal: terminal.outIsTty,
  });
  return CLI_EXIT.done;
}
