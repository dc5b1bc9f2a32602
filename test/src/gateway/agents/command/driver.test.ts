import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { CommandSettings } from '../../../../../src/core/assignment.js';
import { GatewardenError } from '../../../../../src/core/errors.js';
import { createCommandDriver } from '../../../../../src/gateway/agents/command/driver.js';
import type { ChatMessage } from '../../../../../src/gateway/agents/port.js';
import { shortDir } from '../../../../support/gateway-assignment.js';
import { isAlive } from '../../../../support/gateway-processes.js';
import { until, within } from '../../../../support/gateway-within.js';
import { openSession } from '../../../../support/test-containment.js';

const SECRET = 'super-secret-token';

interface Ask {
  readonly text?: string;
  readonly history?: readonly ChatMessage[];
  readonly signal?: AbortSignal;
  readonly onDelta?: (text: string) => void;
}

function createAsker(argv: readonly string[], changes: Partial<CommandSettings> = {}) {
  const driver = createCommandDriver(
    { driver: 'command', argv, cwd: undefined, timeoutMs: 20_000, historyMessages: 10, ...changes },
    {
      profile: 'coder',
      env: { PATH: process.env.PATH ?? '', FROM_PROFILE: 'yes' },
      secrets: [SECRET],
      containment: openSession,
    },
  );
  return ({ text, history, signal, onDelta }: Ask = {}) =>
    within(
      driver.run({
        messages: [...(history ?? []), { role: 'user', content: text ?? 'hello' }],
        sessionId: 's1',
        turnId: 't1',
        maxTokens: undefined,
        onDelta: onDelta ?? (() => {}),
        signal: signal ?? new AbortController().signal,
      }),
      'the program',
    );
}

const sh = (script: string) => ['sh', '-c', script];
const node = (script: string) => [process.execPath, '-e', script];

async function refusal(promise: Promise<unknown>): Promise<GatewardenError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof GatewardenError) return thrown;
  throw new Error(`expected a refusal, got ${thrown}`);
}

t.test('the message goes in, the answer comes out without its last newline', async (t) => {
  const answer = await createAsker(sh('tr a-z A-Z; echo'))({ text: 'hello\nyou' });
  t.strictSame(answer, { text: 'HELLO\nYOU', finishReason: 'stop', usage: undefined });
});

t.test('the program learns who asks and what was said before', async (t) => {
  const ask = createAsker(
    sh(
      'cat >/dev/null; echo "$GATEWARDEN_PROFILE $GATEWARDEN_SESSION $GATEWARDEN_TURN $FROM_PROFILE $HOME"; echo "$GATEWARDEN_HISTORY"',
    ),
  );
  const history: ChatMessage[] = [
    { role: 'user', content: 'one "quoted"' },
    { role: 'assistant', content: 'two' },
  ];
  const [first, second] = (await ask({ history })).text.split('\n');
  t.equal(first, 'coder s1 t1 yes ', 'and nothing of our own environment');
  t.strictSame(JSON.parse(second ?? ''), history);
});

t.test('text is shown while the program still runs', async (t) => {
  const go = join(shortDir(t), 'go');
  const shown: string[] = [];
  const asked = createAsker(
    sh(`printf first; while [ ! -e ${go} ]; do sleep 0.02; done; printf second`),
  )({
    onDelta: (text) => shown.push(text),
  });
  await until(() => shown.join('') === 'first', 'the first piece');
  writeFileSync(go, '');
  t.equal((await asked).text, 'firstsecond');
  t.equal(shown.join(''), 'firstsecond');
});

t.test('a code point that is split between two writes arrives whole', async (t) => {
  const script = `process.stdout.write(Buffer.from([0xf0, 0x9f]));
    setTimeout(() => process.stdout.write(Buffer.from([0x90, 0x99])), 50);`;
  t.equal((await createAsker(node(script))()).text, '🐙');
});

t.test('a program that does not read a long message still answers', async (t) => {
  const answer = await createAsker(sh('exec 0<&-; echo ok'))({ text: 'x'.repeat(4_000_000) });
  t.equal(answer.text, 'ok');
});

t.test('an answer without end is cut and its program ended', async (t) => {
  const answer = await createAsker(sh('yes'))();
  t.equal(answer.finishReason, 'length');
  t.equal(answer.text.length, 1024 * 1024);
});

t.test('a program that fails is told with its code and last words, secrets masked', async (t) => {
  const error = await refusal(createAsker(sh(`echo "token ${SECRET} expired" >&2; exit 3`))());
  t.equal(error.code, 'turn-failed');
  t.match(error.message, /sh ended with code 3: token \[secret\] expired/);
  t.match(error.next, /by hand/);
});

t.test('a program that is killed is told with the signal', async (t) => {
  t.match((await refusal(createAsker(sh('kill -9 $$'))())).message, /ended by SIGKILL/);
});

t.test('a program or directory that does not exist is told with the setting', async (t) => {
  const missing = await refusal(createAsker(['no-such-program-here'])());
  t.match(missing.message, /no-such-program-here could not be started \(ENOENT\)/);
  t.match(missing.next, /agent\.command/);
  const nowhere = await refusal(createAsker(sh('true'), { cwd: '/no/such/place' })());
  t.match(nowhere.message, /directory \/no\/such\/place does not exist/);
  t.match(nowhere.next, /agent\.cwd/);
});

t.test(
  'the time limit ends the program and everything it started, also what ignores SIGTERM',
  async (t) => {
    const pidFile = join(shortDir(t), 'pid');
    const script = `trap '' TERM; sleep 60 & echo $! > ${pidFile}; wait; sleep 60`;
    const error = await refusal(createAsker(sh(script), { timeoutMs: 300 })());
    t.match(error.message, /took longer than 300ms/);
    t.match(error.next, /agent\.timeout_seconds/);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await until(() => !isAlive(pid), 'the end of what it started');
  },
);

t.test('an aborted turn ends the program and everything it started', async (t) => {
  const pidFile = join(shortDir(t), 'pid');
  const controller = new AbortController();
  const asked = createAsker(sh(`sleep 60 & echo $! > ${pidFile}; wait`))({
    signal: controller.signal,
  });
  await until(
    () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim() !== '',
    'the start',
  );
  controller.abort(new Error('enough'));
  await t.rejects(asked, { message: 'enough' });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await until(() => !isAlive(pid), 'the end of what it started');
});

t.test(
  'what a finished turn left running on purpose lives, and does not hang the turn',
  async (t) => {
    const pidFile = join(shortDir(t), 'pid');
    const answer = await createAsker(sh(`sleep 60 & echo $! > ${pidFile}; echo started`))();
    t.equal(answer.text, 'started');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    t.ok(isAlive(pid));
    process.kill(pid, 'SIGKILL');
  },
);
