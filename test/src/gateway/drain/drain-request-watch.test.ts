import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { DRAIN_REQUEST_TTL_MS } from '../../../../src/gateway/drain/drain-request.js';
import {
  DRAIN_REQUEST_FILE,
  machineEpoch,
} from '../../../../src/gateway/drain/drain-request-watch.js';
import { ChatClient } from '../../../support/gateway-chat-client.js';
import { startGateway } from '../../../support/gateway-in-process.js';
import { until } from '../../../support/gateway-within.js';
import { waitsFor } from '../../../support/gateway-worker-asks.js';

/** A gateway with a marker that comes into its place all at once. */
async function heldGateway(t: Parameters<typeof startGateway>[0]) {
  const running = await startGateway(t, {
    assignment: { agent: waitsFor('/nowhere/go') },
    timings: { drainRequestMs: 10 },
  });
  const path = join(running.home, 'state', DRAIN_REQUEST_FILE);
  const place = (fields: object, writtenAt = Date.now()) => {
    writeFileSync(`${path}.new`, JSON.stringify(fields));
    utimesSync(`${path}.new`, writtenAt / 1000, writtenAt / 1000);
    renameSync(`${path}.new`, path);
  };
  const told = (kind: string) =>
    running.logLines.filter((line) => line.includes(`"kind":"${kind}"`)).length;
  const held = () => running.reports.at(-1)?.held;
  return { ...running, path, place, told, held };
}

t.test('a request of another boot asks for nothing until it is written for this one', async (t) => {
  const { place, told, held } = await heldGateway(t);
  place({ epoch: 'another-boot:1' });
  await until(() => told('stale') === 1, 'the stale request');
  t.equal(held(), undefined);
  place({ epoch: machineEpoch() });
  t.match(await until(held, 'the request'), { kind: 'drain-request', complaints: [] });
});

t.test('a request that was forgotten asks for nothing until it is renewed', async (t) => {
  const { place, told, held } = await heldGateway(t);
  place({}, Date.now() - DRAIN_REQUEST_TTL_MS - 60_000);
  await until(() => told('stale') === 1, 'the stale request');
  t.equal(held(), undefined);
  place({});
  await until(held, 'the request');
});

t.test('who wants no broadcast does not silence the chats that are cut off', async (t) => {
  const { place, held, socket, gateway } = await heldGateway(t);
  const client = new ChatClient(socket);
  t.teardown(() => client.socket.destroy());
  client.send({ code: 'message', text: 'working' });
  await client.line('delta');
  place({ suppress_notification: true });
  t.match(await until(held, 'the request'), { complaints: [] });
  const drained = gateway.drain('stop', 0);
  t.match(await client.line('notice'), { text: /^The gateway goes down/ });
  await drained;
});

t.test('an action that is not known asks all the same, and is told by its name', async (t) => {
  const { place, held, path, logLines } = await heldGateway(t);
  place({ action: 'resume' });
  const complaint = 'its action should be "drain", and is "resume"';
  t.match(await until(held, 'the request'), { path, complaints: [complaint] });
  t.match(JSON.parse(logLines.at(-1) ?? ''), { level: 40, complaints: [complaint] });
  rmSync(path);
  await until(() => held() === undefined, 'its end');
});
