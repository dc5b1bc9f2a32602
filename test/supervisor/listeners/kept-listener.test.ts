import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { KeptListener } from '../../../supervisor/listeners/kept-listener.js';

const LIMITS = { holdMs: 60_000, maxHeld: 3 };
const ANY_PORT = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;

async function open(t: Test, limits = LIMITS): Promise<{ kept: KeptListener; port: number }> {
  const kept = await KeptListener.open(ANY_PORT, limits);
  t.teardown(() => kept.close());
  const { address } = kept;
  if (address.kind !== 'tcp') throw new Error('expected a TCP address');
  return { kept, port: address.port };
}

/** A generation that answers every connection with its name. */
function answering(name: string): (socket: Socket, done: () => void) => boolean {
  return (socket, done) => {
    socket.resume();
    socket.end(name);
    done();
    return true;
  };
}

async function readAll(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

t.test('a connection that comes between two generations reaches the second one', async (t) => {
  const { kept, port } = await open(t);
  kept.handTo(answering('first'));
  t.equal(await readAll(port), 'first');
  kept.hold();
  const waiting = readAll(port);
  await until(() => kept.heldCount === 1);
  kept.handTo(answering('second'));
  t.equal(await waiting, 'second');
  t.equal(kept.heldCount, 0);
});

t.test('only one connection is on its way until the generation confirms it', async (t) => {
  const { kept, port } = await open(t);
  const taken: { socket: Socket; done: () => void }[] = [];
  kept.handTo((socket, done) => {
    taken.push({ socket, done });
    return true;
  });
  const answers = Promise.all([readAll(port), readAll(port), readAll(port)]);
  await until(() => taken.length === 1);
  for (let index = 0; index < 3; index++) {
    await until(() => taken.length === index + 1);
    taken[index]?.socket.resume().end('x');
    taken[index]?.done();
  }
  t.strictSame(await answers, ['x', 'x', 'x']);
});

t.test('a generation that cannot take a connection leaves it for its successor', async (t) => {
  const { kept, port } = await open(t);
  kept.handTo(() => false);
  const waiting = readAll(port);
  await until(() => kept.heldCount === 1);
  kept.handTo(answering('successor'));
  t.equal(await waiting, 'successor');
});

t.test('a connection that waited too long is told in HTTP to retry', async (t) => {
  const { port } = await open(t, { holdMs: 1, maxHeld: 3 });
  const call = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions' });
  call.end('{"a":1}');
  const [answer] = await once(call, 'response');
  answer.resume();
  t.equal(answer.statusCode, 503);
  t.equal(answer.headers['retry-after'], '2');
  await once(answer, 'end');
});

t.test('more waiting connections than the limit are told to retry at once', async (t) => {
  const { kept, port } = await open(t);
  const held = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
  await until(() => kept.heldCount === 3);
  t.match(await readAll(port), /^HTTP\/1\.1 503 /);
  t.equal(kept.heldCount, 3);
  for (const socket of held) socket.destroy();
});

t.test('closing answers who still waits and frees the port', async (t) => {
  const kept = await KeptListener.open(ANY_PORT, LIMITS);
  const { address } = kept;
  if (address.kind !== 'tcp') throw new Error('expected a TCP address');
  const waiting = readAll(address.port);
  await until(() => kept.heldCount === 1);
  await kept.close();
  t.match(await waiting, /^HTTP\/1\.1 503 /);
  const again = await KeptListener.open({ ...ANY_PORT, port: address.port }, LIMITS);
  await again.close();
});

t.test('a port that is taken is refused with its errno', async (t) => {
  const { port } = await open(t);
  await t.rejects(KeptListener.open({ ...ANY_PORT, port }, LIMITS), { code: 'EADDRINUSE' });
});
