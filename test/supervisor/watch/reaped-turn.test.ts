import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import { startControlServer } from '../../../supervisor/control/index.js';
import { callsTools } from '../../support/gateway-model-calls.js';
import { says, startModelServer } from '../../support/gateway-model-server.js';
import { isAlive } from '../../support/gateway-processes.js';
import { chatWith } from '../../support/supervised-chat.js';
import {
  deathsOf,
  makeHome,
  profileFile,
  supervise,
  untilState,
  writeHomeFile,
} from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

const WORKER = packageFile('dist', 'test', 'fixtures', 'gateway-that-hangs', 'main.js');
const PATIENCE = { deadlineMs: 90_000 };

/** It writes its pid, then lives on; `setsid` takes it out of every group. */
function lives(pidFile: string): string {
  return `setsid sh -c 'trap "" TERM HUP; echo $$ > ${pidFile}; while :; do sleep 1; done'`;
}

function background(pidFile: string, more: object = {}) {
  const input = { command: lives(pidFile), background: true, notify_on_complete: false, ...more };
  return callsTools([{ name: 'terminal', input }]);
}

/** Milliseconds of the middle one of some answers to `status`. */
async function statusMs(socketPath: string): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 21; count++) {
    const startedAt = performance.now();
    await new Promise<void>((resolve, reject) => {
      const asked = request({ socketPath, path: '/v1/status' }, (answer) => {
        answer.resume().once('end', () => resolve());
      });
      asked.once('error', reject).end();
    });
    times.push(performance.now() - startedAt);
  }
  return times.sort((one, two) => one - two)[10] ?? 0;
}

t.test('the thread of a blocked gateway ends what its overdue turn started', async (t) => {
  const steps = [
    background('earlier.pid'),
    says(['begun']),
    background('kept.pid', { persist_on_release: true }),
    callsTools([{ name: 'terminal', input: { command: lives('build.pid') } }]),
    says(['never asked for']),
  ];
  const model = await startModelServer(t, ...steps);
  const home = makeHome(t, {});
  const hangNow = join(home, 'hang-now');
  const { baseUrl: base_url } = model;
  const agent = { driver: 'openai', base_url, model: 'fake', tools: ['terminal', 'process'] };
  for (const [name, text] of Object.entries(
    profileFile('a', {
      agent,
      env: { HANGS_IN: 'tool', HANGS_WITH: hangNow },
      turns: { inactivity_seconds: 3, warning_seconds: 0, note_seconds: 0 },
      watchdog: { check_seconds: 0.1, warn_seconds: 1, strike_seconds: 4, strikes: 3 },
    }),
  )) {
    writeHomeFile(home, name, text);
  }
  const running = await supervise(t, home, { worker: WORKER });
  await untilState(running, 'a', 'ready');
  const socketPath = join(home, 'control.sock');
  const server = await startControlServer({
    socketPath,
    tcp: undefined,
    statusPage: false,
    port: running.port,
  });
  t.teardown(() => server.close());

  const client = await chatWith(t, running, 'a', PATIENCE);
  client.send({ code: 'message', text: 'start the earlier one' });
  const isAnswered = () => client.lines.some(({ code }) => code === 'final');
  await until('it has begun', isAnswered, PATIENCE);
  client.send({ code: 'message', text: 'keep one, then build' });
  const pidOf = async (name: string) => {
    const path = join(home, 'profiles', 'a', name);
    const written = () => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');
    await until(`${name} is written`, written, PATIENCE);
    return Number(readFileSync(path, 'utf8'));
  };
  const [earlier, kept, build] = [
    await pidOf('earlier.pid'),
    await pidOf('kept.pid'),
    await pidOf('build.pid'),
  ];
  const usualMs = await statusMs(socketPath);

  writeFileSync(hangNow, '');
  await until('the build is gone', () => !isAlive(build), PATIENCE);
  t.ok(isAlive(kept), 'what was left on purpose lives');
  t.ok(isAlive(earlier), 'what an earlier turn started lives');
  t.strictSame(deathsOf(running, 'a'), [], 'and the gateway has not ended yet');
  const blockedMs = await statusMs(socketPath);
  t.ok(blockedMs < usualMs * 5, `status took ${blockedMs} ms instead of ${usualMs}`);
  t.comment(`status: ${usualMs} ms, while the gateway is blocked ${blockedMs} ms`);

  await until('it was ended', () => deathsOf(running, 'a').length > 0, PATIENCE);
  const [death] = deathsOf(running, 'a');
  t.equal(death?.cause, 'stall');
  t.match(death?.detail, /blocked in aToolHandlerThatHangs \(/);
  const told = running.events.flatMap(({ event }) =>
    event.code === 'evidence' && event.kind === 'inactive-turn' ? [event.where] : [],
  );
  t.match(told, [/^blocked in aToolHandlerThatHangs/]);
  await until('its successor is ready', () => running.profile('a').state === 'ready', PATIENCE);
});
