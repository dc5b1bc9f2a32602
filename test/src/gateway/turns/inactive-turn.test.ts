import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { OpenaiSettings } from '../../../../src/core/assignment.js';
import { ChatClient } from '../../../support/gateway-chat-client.js';
import { startGateway } from '../../../support/gateway-in-process.js';
import { callsTools } from '../../../support/gateway-model-calls.js';
import {
  hangsAfter,
  type ModelStep,
  says,
  startModelServer,
} from '../../../support/gateway-model-server.js';
import { isAlive } from '../../../support/gateway-processes.js';
import { until } from '../../../support/gateway-within.js';

function settings(baseUrl: string): OpenaiSettings {
  return {
    driver: 'openai',
    baseUrl,
    apiKey: undefined,
    model: 'fake',
    systemPrompt: undefined,
    timeoutMs: 60_000,
    maxRetries: 0,
    maxTokens: undefined,
    temperature: undefined,
    historyMessages: 10,
    tools: ['terminal', 'process'],
  };
}

/** What whoever watches from outside was told and asked, and what it answers to a claim. */
class Observer {
  readonly seen: string[] = [];
  mayClaim = true;
  mayGoOn = true;

  gaveUp(): void {
    this.seen.push('gave up');
  }

  opened({ turnId, inactivityMs }: { turnId: string; inactivityMs: number }) {
    this.seen.push(`opened ${turnId.split('-')[0]} ${inactivityMs}`);
    return {
      touch: () => {
        this.seen.push('touched');
        return this.mayGoOn;
      },
      claim: () => {
        this.seen.push('claimed');
        return this.mayClaim;
      },
      close: () => this.seen.push('closed'),
    };
  }
}

interface Test {
  teardown(action: () => unknown): unknown;
}

async function setUp(t: Test, limitMs: number, ...script: ModelStep[]) {
  const model = await startModelServer(t, ...script);
  const observer = new Observer();
  const running = await startGateway(t, {
    observer,
    assignment: {
      agent: settings(model.baseUrl),
      inactivity: { limitMs, warningMs: limitMs / 2, noteMs: limitMs / 5 },
    },
  });
  const client = new ChatClient(running.socket);
  t.teardown(() => client.socket.destroy());
  return { model, observer, running, client };
}

/** It waits for a worker in a session of its own that minds no TERM. */
const BUILD = `setsid sh -c 'trap "" TERM; echo $$ > worker.pid; while :; do sleep 1; done'`;

t.test('a silent turn is noted, warned of, then given up by the loop alone', async (t) => {
  const build = callsTools([{ name: 'terminal', input: { command: BUILD } }]);
  const { observer, running, client } = await setUp(t, 10_000, build);
  client.send({ code: 'message', text: 'build it' });
  // before the first step there is none, so this is its own
  const pidFile = join(running.home, 'worker.pid');
  const pid = await until(
    () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')),
    'the worker',
  );
  t.ok(isAlive(pid));
  t.match(await client.line('error'), {
    error: { code: 'turn-interrupted', message: /nothing happened/ },
    retryAfterMs: null,
  });
  await until(() => !isAlive(pid), 'the end of the worker');
  const notes = client.lines.flatMap((line) => (line.code === 'note' ? [line.text] : []));
  t.match(notes[0], /^Still working on it/);
  const warnings = notes.filter((text) => text.startsWith('Nothing has happened in this turn'));
  t.match(warnings, [/given up after 10s/]);
  t.equal(warnings.length, 1);
  t.equal(observer.seen[0], 'opened turn 10000');
  t.equal(observer.seen.filter((what) => what === 'claimed').length, 1, 'one claim, one winner');
  t.equal(observer.seen.filter((what) => what === 'gave up').length, 1, 'and it is told why');
  t.ok(observer.seen.indexOf('gave up') < observer.seen.indexOf('closed'), 'while it was open');
  t.equal(observer.seen.filter((what) => what === 'closed').length, 1);
});

t.test('an answer is a sign of life, and the turn that it ends is its own', async (t) => {
  const { observer, client } = await setUp(t, 60_000, says(['one', 'two']));
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('final'), { text: 'onetwo' });
  t.strictSame([...new Set(observer.seen)], ['opened turn 60000', 'touched', 'claimed', 'closed']);
  t.equal(observer.seen.filter((what) => what === 'claimed').length, 1);
});

t.test('a turn that the thread gave up is not answered, whatever its worker says', async (t) => {
  const { observer, client } = await setUp(t, 60_000, says(['too late']), says(['in time']));
  observer.mayClaim = false;
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('error'), {
    error: { code: 'turn-interrupted', message: /nothing happened/ },
  });
  observer.mayClaim = true;
  client.send({ code: 'message', text: 'again' });
  t.match(await client.line('final'), { text: 'in time' });
});

t.test('a turn that the thread gave up is let go by the loop when it looks', async (t) => {
  const { observer, client } = await setUp(t, 400, hangsAfter('thinking'));
  observer.mayClaim = false;
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('error'), { error: { message: /nothing happened/ } });
  t.notOk(observer.seen.includes('gave up'), 'the thread has told it already');
});

t.test('a turn that the thread gave up is let go at its next sign of life', async (t) => {
  const { observer, client } = await setUp(t, 60_000, hangsAfter('thinking'));
  observer.mayClaim = false;
  observer.mayGoOn = false;
  client.send({ code: 'message', text: 'hello' });
  t.match(await client.line('error'), { error: { message: /nothing happened/ } });
});
