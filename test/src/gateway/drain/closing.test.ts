import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { startGateway } from '../../../support/gateway-in-process.js';
import { until } from '../../../support/gateway-within.js';

const CLIENTS = 200;
const GRACE_MS = 250;

/** Reads what it is told and never closes its side. */
async function clingingClient(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'data');
  socket.resume();
  return socket;
}

t.test('two hundred connections that do not let go are closed together, not in turn', async (t) => {
  const { gateway, socket: path } = await startGateway(t, { timings: { closeGraceMs: GRACE_MS } });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => clingingClient(path)));
  t.teardown(() => {
    for (const client of clients) client.destroy();
  });
  let ended = 0;
  for (const client of clients) client.once('end', () => ended++);
  const beganAtMs = performance.now();
  t.match(await gateway.drain('stop', 0), { clean: true, running: [] });
  const tookMs = performance.now() - beganAtMs;
  t.ok(tookMs < (CLIENTS * GRACE_MS) / 5, `${Math.round(tookMs)} ms`);
  await until(() => ended === CLIENTS, 'the end of each');
});
