import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { WorkUnit } from '../../../../src/core/work.js';
import {
  planWaitNews,
  WAIT_NEWS_EVERY_MS,
  type WaitNewsFacts,
} from '../../../../src/gateway/drain/wait-news.js';
import { shortDir } from '../../../support/gateway-assignment.js';
import { ChatClient } from '../../../support/gateway-chat-client.js';
import { startGateway } from '../../../support/gateway-in-process.js';
import { until } from '../../../support/gateway-within.js';
import { waitsFor } from '../../../support/gateway-worker-asks.js';

const turn: WorkUnit = { kind: 'turn', id: 'turn-1', session: 's1', startedAt: 0 };
const run: WorkUnit = { kind: 'api-run', id: 'run-1', session: undefined, startedAt: 0 };

const at = (nowMs: number, more: Partial<WaitNewsFacts> = {}) =>
  planWaitNews({
    awaited: [turn, run],
    beganAtMs: 0,
    toldAtMs: 0,
    nowMs,
    everyMs: WAIT_NEWS_EVERY_MS,
    ...more,
  });

t.test('a wait says every 30 seconds for what it goes on, and not before', async (t) => {
  t.equal(WAIT_NEWS_EVERY_MS, 30_000);
  t.strictSame(at(0), { news: undefined, nextAtMs: 30_000 });
  t.strictSame(at(29_999), { news: undefined, nextAtMs: 30_000 });
  t.strictSame(at(30_000), {
    news: { waitedMs: 30_000, active: 2, awaited: ['turn turn-1 of s1', 'api-run run-1'] },
    nextAtMs: 60_000,
  });
  t.strictSame(at(59_999, { toldAtMs: 30_000 }), { news: undefined, nextAtMs: 60_000 });
  t.match(at(60_000, { toldAtMs: 30_000 }), { news: { waitedMs: 60_000 }, nextAtMs: 90_000 });
});

t.test('a loop that was late tells it once', async (t) => {
  t.match(at(500_000, { toldAtMs: 30_000 }), {
    news: { waitedMs: 500_000 },
    nextAtMs: 530_000,
  });
});

t.test('of a thousand turns twenty are named and all are counted', async (t) => {
  const awaited = Array.from({ length: 1000 }, (_, nth) => ({ ...turn, id: `turn-${nth}` }));
  const { news } = at(30_000, { awaited });
  t.match(news, { active: 1000 });
  t.equal((news?.['awaited'] as string[] | undefined)?.length, 20);
});

/** The turn in the chat runs until the file is there. */
async function busyGateway(t: Parameters<typeof startGateway>[0]) {
  const go = join(shortDir(t), 'go');
  const running = await startGateway(t, {
    assignment: { agent: waitsFor(go) },
    timings: { waitNewsMs: 1 },
  });
  const client = new ChatClient(running.socket);
  t.teardown(() => client.socket.destroy());
  client.send({ code: 'message', text: 'work', session: 'busy' });
  await client.line('delta');
  const id = running.reports.at(-1)?.work[0]?.id ?? '';
  const news = () =>
    running.logLines.filter((line) => /"active":1,.*"waiting for what runs"/.test(line));
  return { ...running, client, id, news, finish: () => writeFileSync(go, '') };
}

t.test('a drain names the turn that it waits for until that has finished', async (t) => {
  const { gateway, id, news, finish, logLines } = await busyGateway(t);
  const drained = gateway.drain('stop', 60_000);
  await until(() => news().length >= 2, 'a second line');
  t.match(news()[0], `"turn ${id} of `);
  finish();
  t.match(await drained, { clean: true });
  t.match(logLines.at(-1), /"drained"/);
});

t.test('a restart that waits for a turn before its drain names that turn too', async (t) => {
  const { client, told, id, news, finish } = await busyGateway(t);
  client.send({ code: 'message', text: '/restart', session: 'other' });
  await until(() => news().length >= 2, 'a second line');
  t.match(news()[0], `"turn ${id} of `);
  finish();
  await until(() => told.includes('restart wanted: /restart in local (other)'), 'the restart');
});
