import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { askGateway } from '../../../src/ownership/ask-gateway.js';
import { dialGateway } from '../../../src/ownership/dial-gateway.js';
import { shortDir } from '../../support/gateway-assignment.js';

/** A silence that is to be waited out, and one that must not matter. */
const SHORT_MS = 50;
const LONG_MS = 60_000;

/** @returns where somebody listens who does this to every caller */
async function listening(
  t: Parameters<typeof shortDir>[0] & { teardown(act: () => unknown): unknown },
  meet: (socket: Socket) => void,
): Promise<string> {
  const path = join(shortDir(t), 'local.sock');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    meet(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return path;
}

const line = (message: object) => `${JSON.stringify(message)}\n`;

t.test('who greets is serving or draining, also in pieces', async (t) => {
  const welcome = line({ code: 'welcome', profile: 'a', version: '1' });
  const inPieces = await listening(t, (socket) => {
    socket.write(welcome.slice(0, 9), () => socket.write(welcome.slice(9)));
  });
  t.equal(await askGateway(inPieces, LONG_MS), 'serving');
  const draining = await listening(t, (socket) => {
    socket.write(line({ code: 'draining', retryAfterMs: 1 }) + welcome);
  });
  t.equal(await askGateway(draining, LONG_MS), 'draining', 'the first line decides');
});

t.test('who takes the call and says nothing is late', async (t) => {
  const mute = await listening(t, () => {});
  t.equal(await askGateway(mute, SHORT_MS), 'late');
});

t.test('nobody, one that hangs up and one that is no gateway are silent', async (t) => {
  const hangsUp = await listening(t, (socket) => socket.end());
  const stranger = await listening(t, (socket) => socket.write('220 mail.example ESMTP\r\n'));
  const endless = await listening(t, (socket) => {
    const flood = () => socket.write('x'.repeat(65_536), (error) => error || setImmediate(flood));
    flood();
  });
  const nobody = join(shortDir(t), 'nobody.sock');
  for (const path of [hangsUp, stranger, endless, nobody]) {
    t.equal(await askGateway(path, LONG_MS), 'silent', path);
  }
});

t.test('a question is said once, and what else is said meanwhile is no answer', async (t) => {
  const heard: string[] = [];
  const path = await listening(t, (socket) => {
    socket.write(line({ code: 'welcome' }));
    socket.on('data', (bytes) => {
      heard.push(String(bytes));
      socket.write(line({ code: 'notice' }) + line({ code: 'rescanned', served: ['b'] }));
    });
  });
  const hear = (said: string) => (said.includes('rescanned') ? JSON.parse(said) : undefined);
  const answer = await dialGateway(path, { say: { code: 'rescan' }, timeoutMs: LONG_MS, hear });
  t.strictSame(answer, { code: 'rescanned', served: ['b'] });
  t.strictSame(heard, [line({ code: 'rescan' })]);
});
