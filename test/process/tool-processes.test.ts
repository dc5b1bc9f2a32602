import t from 'tap';
import type { StatusReport } from '../../src/core/status.js';
import { ChatClient } from '../support/gateway-chat-client.js';
import { callsTools, resultsIn } from '../support/gateway-model-calls.js';
import {
  hangsAfter,
  type ModelServer,
  says,
  startModelServer,
} from '../support/gateway-model-server.js';
import { isAlive } from '../support/gateway-processes.js';
import { until } from '../support/gateway-within.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { rowOf, untilStatus, up } from '../support/up.js';

const background = (command: string) =>
  callsTools([
    { name: 'terminal', input: { command, background: true, notify_on_complete: false } },
  ]);

/** The pid in the result that came with the nth call to the model. */
function pidIn(model: ModelServer, nth: number): Promise<number> {
  return until(() => {
    const call = model.calls[nth];
    return call !== undefined && Number(resultsIn(call).at(-1)?.pid);
  }, `the result in call ${nth}`);
}

function clientOf(
  t: { teardown(action: () => unknown): unknown },
  report: StatusReport,
): ChatClient {
  const listen = rowOf(report, 'bot')?.listen ?? [];
  const path = listen.find((where) => where.startsWith('unix:'))?.slice('unix:'.length);
  const client = new ChatClient(path ?? '');
  t.teardown(() => client.socket.destroy());
  return client;
}

t.test(
  'under a supervisor a turn owns its processes, and a killed gateway leaves none',
  async (t) => {
    const model = await startModelServer(
      t,
      background('exec sleep 600'),
      says(['it runs']),
      background('setsid sleep 601 & exec sleep 602'),
      hangsAfter('I wait'),
    );
    const agent = {
      driver: 'openai',
      base_url: model.baseUrl,
      model: 'fake',
      tools: ['terminal', 'process'],
    };
    const home = makeHome(t, profileFile('bot', { agent }));
    await up(t, home);
    const ready = await untilStatus(
      home,
      'it is ready',
      (now) => rowOf(now, 'bot')?.state === 'ready',
    );
    const client = clientOf(t, ready);
    client.send({ code: 'message', text: 'start a server' });
    await client.line('final');
    const left = await pidIn(model, 1);
    client.send({ code: 'message', text: 'build' });
    const build = await pidIn(model, 3);
    client.send({ code: 'stop' });
    await until(() => !isAlive(build), 'the end of the build');
    t.ok(isAlive(left), 'what an earlier turn left lives');

    process.kill(rowOf(ready, 'bot')?.pid ?? 0, 'SIGKILL');
    await untilStatus(home, 'its successor is ready', (now) => {
      const row = rowOf(now, 'bot');
      return row?.state === 'ready' && row.generation === 2;
    });
    t.notOk(isAlive(left), 'the old tree is ended before the successor starts');
  },
);
