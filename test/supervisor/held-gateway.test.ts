import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { explain } from '../../src/cli/why/explain.js';
import { judgeStatus, type ProfileStatus } from '../../src/core/status.js';
import { ChatClient } from '../support/gateway-chat-client.js';
import {
  makeHome,
  profileFile,
  type Running,
  supervise,
  untilState,
} from '../support/supervised-home.js';
import { until } from '../support/until.js';

const PATIENCE = { deadlineMs: 90_000 };

async function statusOf(running: Running, name: string): Promise<ProfileStatus> {
  const { profiles } = await running.port.status();
  const found = profiles.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no status of ${name}`);
  return found;
}

async function verdictOf(running: Running) {
  return judgeStatus(await running.port.status());
}

/** Looks until the status is as it should be. */
async function untilStatus(
  running: Running,
  what: string,
  isSo: (status: ProfileStatus) => boolean,
): Promise<ProfileStatus> {
  let last = await statusOf(running, 'a');
  const look = async () => {
    last = await statusOf(running, 'a');
    return isSo(last);
  };
  await until(what, look, PATIENCE);
  return last;
}

const why = (profile: ProfileStatus) =>
  explain({ profile, deaths: [], evidence: undefined, nowMs: Date.now() });

const kindsOf = (running: Running) =>
  running.events.flatMap(({ event }) => {
    if (event.code === 'held') return [`held ${event.kind} ${event.by}`];
    return event.code === 'released' || event.code === 'verb' ? [event.code] : [];
  });

t.test('a drain that a file asks for is told with its way out, from begin to end', async (t) => {
  const home = makeHome(t, profileFile('a', { agent: { driver: 'echo' } }));
  const running = await supervise(t, home);
  await untilState(running, 'a', 'ready');
  const stateDir = join(home, 'profiles', 'a', 'state');
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, 'drain-request.json');
  const before = Date.now();
  writeFileSync(path, JSON.stringify({ principal: 'deploy', action: 'rest' }));
  const held = await untilStatus(running, 'it is draining', ({ state }) => state === 'draining');
  t.match(held.held, { kind: 'drain-request', by: 'deploy', path });
  t.ok(Date.parse(held.since) >= before, 'since the drain began, not since it was ready');
  t.equal(await verdictOf(running), 'degraded', 'so `status` ends with 1');
  const { paragraph, todo } = why(held);
  t.match(paragraph, /because deploy asks for a drain in a file; nothing is in progress, and it/);
  t.match(paragraph, /new messages again once that file is removed/);
  t.notMatch(paragraph, /started again/);
  const odd = /its action should be "drain", and is "rest"/;
  t.match(paragraph, odd);
  t.match(held.notices, [odd]);
  t.equal(todo, `nothing, or to let messages in again: remove ${path}`);
  rmSync(path);
  const free = await untilStatus(running, 'it is ready again', ({ state }) => state === 'ready');
  t.equal(free.held, null);
  t.strictSame(kindsOf(running), ['held drain-request deploy', 'released']);
});

t.test('a restart that was asked for in a chat is told while it waits for a turn', async (t) => {
  const home = makeHome(t, {});
  const go = join(home, 'go');
  const script = `printf begun; while [ ! -e ${go} ]; do sleep 0.02; done; printf ' done'`;
  const agent = { driver: 'command', command: ['sh', '-c', script] };
  for (const [name, text] of Object.entries(profileFile('a', { agent }))) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  const running = await supervise(t, home);
  await untilState(running, 'a', 'ready');
  const { listen } = await untilStatus(running, 'where to chat', (one) => one.listen.length > 0);
  const socket = listen.find((one) => one.endsWith('.sock'))?.replace(/^unix:/, '') ?? '';
  const busy = new ChatClient(socket);
  const asking = new ChatClient(socket);
  t.teardown(() => [busy, asking].map((client) => client.socket.destroy()));
  busy.send({ code: 'message', text: 'work', session: 'busy' });
  await busy.line('delta');
  asking.send({ code: 'message', text: '/restart' });
  await asking.line('final');
  const held = await untilStatus(running, 'it is draining', ({ state }) => state === 'draining');
  t.match(held.held, { kind: 'restart', by: '/restart in local', latestAt: Number });
  t.match(held.notices, [/^takes nothing new: a restart was asked for by \/restart in local/]);
  t.equal(await verdictOf(running), 'degraded');
  const { paragraph, todo } = why(held);
  t.match(paragraph, /a restart was asked for by \/restart in local, which waits for 1 turn\./);
  t.match(paragraph, /Then it will be restarted, in .* at the latest\./);
  t.match(todo, 'gatewarden restart a --now');
  asking.send({ code: 'message', text: 'hello?' });
  t.match(await asking.line('error'), {
    error: { message: /about to be restarted, once what runs has finished/ },
  });
  writeFileSync(go, '');
  await untilStatus(running, 'its successor', (one) => one.generation === 2 && one.held === null);
  t.strictSame(kindsOf(running).slice(0, 2), ['held restart /restart in local', 'verb']);
});
