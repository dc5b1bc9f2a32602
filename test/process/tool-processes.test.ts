import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
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
import { processesOf, rowOf, untilStatus, upIn } from '../support/up.js';

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

/** What whoever starts us may leave open, and the numbers under which a process has it. */
function inheritablePipe(t: Test, home: string) {
  const path = join(home, 'inherited');
  spawnSync('mkfifo', [path]);
  const fd = openSync(path, 'r+');
  t.teardown(() => closeSync(fd));
  const isIt = (link: string): boolean => {
    try {
      return readlinkSync(link) === path;
    } catch {
      return false; // closed meanwhile
    }
  };
  const heldBy = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).filter((name) => isIt(`/proc/${pid}/fd/${name}`));
  return { fd, heldBy };
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
    const pipe = inheritablePipe(t, home);
    // libuv closes the low ones to children by itself, and none beyond the first gap above 15
    const descriptors = new Map([7, 40].map((fd) => [fd, pipe.fd]));
    const { pid: supervisor } = await upIn(t, home, { descriptors });
    const ready = await untilStatus(
      home,
      'it is ready',
      (now) => rowOf(now, 'bot')?.state === 'ready',
    );
    const client = clientOf(t, ready);
    client.send({ code: 'message', text: 'start a server' });
    await client.line('final');
    const left = await pidIn(model, 1);
    t.strictSame(pipe.heldBy(supervisor), ['7'], 'it was inherited, and is not given on');
    const gateway = rowOf(ready, 'bot')?.pid ?? 0;
    for (const pid of [gateway, left, ...processesOf(home)]) {
      t.strictSame(pipe.heldBy(pid), [], `pid ${pid} has nothing of who started the supervisor`);
    }
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
