import { connect } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import type { RecordedEvent } from '../../../src/core/events.js';
import { Secret } from '../../../src/core/secret.js';
import { ask, SmallSupervisor, serve } from '../../support/control-port.js';
import { until } from '../../support/until.js';

interface Follower {
  readonly socket: WebSocket;
  readonly cursors: number[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

function follow(socketPath: string, search = ''): Follower {
  const socket = new WebSocket(`ws+unix://${socketPath}:/v1/events${search}`);
  const cursors: number[] = [];
  socket.on('message', (data) => cursors.push((JSON.parse(String(data)) as RecordedEvent).cursor));
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  return { socket, cursors, closed };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

t.test('a stream without a cursor begins with what happens next', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  port.happen();
  const follower = follow(address.socketPath);
  await until('it is followed', () => port.subscribers === 1);
  port.happen();
  port.happen();
  await until('both came', () => follower.cursors.length === 2);
  t.strictSame(follower.cursors, [2, 3]);
  follower.socket.close();
  await until('it is forgotten', () => port.subscribers === 0);
});

t.test('a stream that resumes in the middle of a storm has no gap and no duplicate', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  for (let n = 0; n < 1000; n++) port.happen();
  let storming = true;
  const storm = (async () => {
    while (storming) {
      for (let n = 0; n < 7; n++) port.happen();
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const followers = [0, 1, 500, 999].map((since) => ({
    since,
    follower: follow(address.socketPath, `?since=${since}`),
  }));
  await until('all are live', () =>
    followers.every(({ follower }) => (follower.cursors.at(-1) ?? 0) > 1500),
  );
  storming = false;
  await storm;
  const last = port.stored.length;
  for (const { since, follower } of followers) {
    await until('the last came', () => follower.cursors.at(-1) === last);
    t.strictSame(follower.cursors, range(since + 1, last), `since ${since}`);
    follower.socket.close();
  }
});

t.test('a consumer that does not read is cut, and the others do not notice', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port, {
    events: { maxBufferedBytes: 10_000, closeWithinMs: 50 },
  });
  const slow = follow(address.socketPath);
  const good = follow(address.socketPath);
  await until('both follow', () => port.subscribers === 2);
  slow.socket.pause();
  await until('the slow one is cut', async () => {
    port.happen('x'.repeat(10_000));
    await until('the good one has it', () => good.cursors.at(-1) === port.stored.length);
    return port.subscribers === 1;
  });
  t.strictSame(good.cursors, range(1, port.stored.length));
  slow.socket.resume();
  await slow.closed;
  good.socket.close();
});

t.test('a long history waits for a slow reader instead of cutting it', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port, { events: { maxBufferedBytes: 600_000 } });
  for (let n = 0; n < 2000; n++) port.happen('x'.repeat(5000));
  const slow = follow(address.socketPath, '?since=0');
  await until('it has begun', () => slow.cursors.length > 0);
  slow.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.ok(slow.cursors.length < 2000, 'it is held back');
  slow.socket.resume();
  await until('all came', () => slow.cursors.length === 2000);
  t.strictSame(slow.cursors, range(1, 2000));
  slow.socket.close();
});

t.test('a client that vanishes is forgotten and harms nobody', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port);
  const gone = follow(address.socketPath);
  await until('it is followed', () => port.subscribers === 1);
  gone.socket.terminate();
  for (let n = 0; n < 100; n++) port.happen('x'.repeat(1000));
  await until('it is forgotten', () => port.subscribers === 0);
  // and one that leaves before its answer came
  const rude = connect(address.socketPath);
  rude.on('error', () => undefined);
  rude.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n', () => rude.destroy());
  await until('it has left', () => rude.closed);
  t.equal((await ask({ socketPath: address.socketPath, path: '/v1/status' })).status, 200);
});

t.test('a socket that answers no ping is ended', async (t) => {
  const port = new SmallSupervisor();
  const { address } = await serve(t, port, { events: { pingEveryMs: 20 } });
  const mute = new WebSocket(`ws+unix://${address.socketPath}:/v1/events`, { autoPong: false });
  mute.on('error', () => undefined);
  const answering = follow(address.socketPath);
  await until('both follow', () => port.subscribers === 2);
  await until('the mute one is ended', () => mute.readyState === WebSocket.CLOSED);
  t.equal(answering.socket.readyState, WebSocket.OPEN);
  answering.socket.close();
});

t.test('the end of the supervisor is said to those who follow', async (t) => {
  const port = new SmallSupervisor();
  const server = await serve(t, port);
  const followers = range(1, 20).map(() => follow(server.address.socketPath));
  await until('all follow', () => port.subscribers === 20);
  await server.close();
  for (const { closed } of followers) t.equal((await closed).code, 1001);
});

t.test('an upgrade that cannot be is refused in words', async (t) => {
  const tcp = { host: '127.0.0.1', port: 0, token: new Secret('token') };
  const { address } = await serve(t, new SmallSupervisor(), { tcp });
  const refusalOf = (url: string, headers: Record<string, string> = {}) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url, { headers });
      socket.on('error', (error) => resolve(error.message));
      socket.on('open', () => resolve('open'));
      t.teardown(() => socket.terminate());
    });
  t.match(await refusalOf(`ws+unix://${address.socketPath}:/v1/status`), '404');
  t.match(await refusalOf(`ws+unix://${address.socketPath}:/v1/events?since=-1`), '400');
  const remote = `ws://127.0.0.1:${address.tcp?.port}/v1/events`;
  t.match(await refusalOf(remote), '401');
  t.equal(await refusalOf(remote, { authorization: 'Bearer token' }), 'open');
});
