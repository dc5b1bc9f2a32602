import { join } from 'node:path';
import t from 'tap';
import type { GatewayAssignment } from '../../../../src/core/assignment.js';
import type { Gateway } from '../../../../src/gateway/gateway.js';
import type { GuestEnd } from '../../../../src/gateway/guests/guest.js';
import { Guests } from '../../../../src/gateway/guests/guests.js';
import { createStandaloneLink } from '../../../../src/gateway/link/standalone.js';
import { createLog } from '../../../../src/gateway/log.js';
import { runGateway } from '../../../../src/gateway/run.js';
import { API, assignmentIn, shortDir } from '../../../support/gateway-assignment.js';
import { until } from '../../../support/until.js';

const signal = new AbortController().signal;

/** The default profile with a real port, and a place for guests. */
async function startServer(t: Tap.Test, changes: Partial<GatewayAssignment> = {}) {
  const home = shortDir(t);
  const listens: string[] = [];
  const ends: { profile: string; end: GuestEnd }[] = [];
  const lines: string[] = [];
  const state: { served: readonly string[] } = { served: [] };
  const log = createLog((line) => lines.push(line), {});
  const linkOf = () =>
    createStandaloneLink({
      phase: () => {},
      ready: ({ listen }) => listens.push(...listen),
      report: () => {},
      degraded: () => {},
      recovered: () => {},
      restartWanted: () => {},
      turnCrowded: () => {},
    });
  const timings = { closeGraceMs: 200, interruptGraceMs: 200 };
  const guests = new Guests({
    linkFor: linkOf,
    optionsFor: () => ({ log, timings }),
    onServed: (served) => {
      state.served = served;
    },
    onEnded: (profile, end) => ends.push({ profile, end }),
  });
  const { mounts } = guests;
  const assignment = assignmentIn(home, { apiServer: { ...API, key: KEYS.default }, ...changes });
  const gateway: Gateway = await runGateway(assignment, linkOf(), { log, signal, timings, mounts });
  t.teardown(() => Promise.all([gateway.drain('stop', 0), guests.leaveAll(0)]));
  const url = listens.find((where) => where.startsWith('http')) ?? '';
  const serve = (profile: string, more: Partial<GatewayAssignment> = {}) =>
    guests.serve(guestIn(home, profile, more));
  const served = (...names: string[]) =>
    until(`served: ${names}`, () => String(state.served) === String(names));
  return { gateway, guests, url, serve, served, ends, lines, listens, state };
}

declare namespace Tap {
  interface Test {
    teardown(action: () => unknown): unknown;
  }
}

const KEYS = { default: 'default-key-0123456789', coder: 'coder-key-0123456789' } as const;

function guestIn(home: string, profile: string, more: Partial<GatewayAssignment>) {
  return assignmentIn(home, {
    profile,
    stateDir: join(home, profile),
    localSocket: join(home, `${profile}.sock`),
    apiServer: undefined,
    servedApi: { key: KEYS.coder, model: profile, maxConcurrent: 10 },
    ...more,
  });
}

async function ask(url: string, path: string, key?: string): Promise<number> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  const isRead = path.endsWith('/models') || path.endsWith('/health');
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
  const response = await fetch(
    `${url}${path}`,
    isRead ? { headers } : { method: 'POST', headers, body },
  );
  await response.arrayBuffer();
  return response.status;
}

t.test('each profile has its own routes and its own key', async (t) => {
  const server = await startServer(t);
  server.serve('coder');
  await server.served('coder');
  const { url } = server;
  const completions = '/v1/chat/completions';
  t.equal(await ask(url, `/p/coder${completions}`, KEYS.coder), 200);
  t.equal(await ask(url, completions, KEYS.default), 200, 'the plain routes are the default’s');
  t.equal(await ask(url, `/p/coder${completions}`, KEYS.default), 401, 'another’s key');
  t.equal(await ask(url, `/p/coder${completions}`), 401, 'no key');
  t.equal(await ask(url, completions, KEYS.coder), 401, 'nor does it open the default’s');
  t.equal(await ask(url, `/p/nobody${completions}`, KEYS.coder), 404, 'an unknown profile');
  t.equal(await ask(url, `/p/default${completions}`, KEYS.default), 404, 'the server is no guest');
  t.equal(await ask(url, '/p/coder/v1/runs/of-another', KEYS.coder), 404, 'a run of another');
  t.equal(await ask(url, '/p/coder/p/coder/v1/models', KEYS.coder), 404);
  t.ok(server.listens.includes(`${url}/p/coder`));
});

t.test(
  'a guest without a key is open to this machine, and closed where others reach it',
  async (t) => {
    const near = await startServer(t);
    near.serve('coder', { servedApi: { key: undefined, model: 'coder', maxConcurrent: 1 } });
    await near.served('coder');
    t.equal(await ask(near.url, '/p/coder/v1/models'), 200);
    const far = await startServer(t, { apiServer: { ...API, host: '0.0.0.0', key: KEYS.default } });
    far.serve('coder', { servedApi: { key: undefined, model: 'coder', maxConcurrent: 1 } });
    await far.served('coder');
    const url = far.url.replace('0.0.0.0', '127.0.0.1');
    t.equal(await ask(url, '/p/coder/v1/models'), 401);
    t.equal(await ask(url, '/p/coder/v1/models', KEYS.default), 401);
    t.equal(await ask(url, '/p/coder/health'), 200, 'that it lives is no secret');
  },
);

t.test('what is wrong with one guest is told of it and ends nobody else', async (t) => {
  const server = await startServer(t);
  server.serve('coder');
  await server.served('coder');
  server.serve('broken', { stateDir: '/proc/no-such-place', localSocket: undefined });
  await until('the broken one is told', () => server.ends.length > 0);
  t.equal(server.ends[0]?.profile, 'broken');
  t.not(server.ends[0]?.end.exitCode, 0);
  t.ok(server.ends[0]?.end.words, 'with last words');
  t.strictSame(server.state.served, ['coder']);
  t.equal(await ask(server.url, '/p/coder/v1/models', KEYS.coder), 200);
  t.equal(await ask(server.url, '/p/broken/v1/models', KEYS.coder), 404);
});

t.test('who leaves lets go of all it held, and may come again', async (t) => {
  const server = await startServer(t);
  server.serve('coder');
  await server.served('coder');
  server.guests.unserve('coder', 'restart', 1000);
  await server.served();
  t.equal(server.ends[0]?.end.exitCode, 75);
  t.equal(await ask(server.url, '/p/coder/v1/models', KEYS.coder), 503, 'it is expected again');
  server.serve('coder');
  await server.served('coder');
  server.guests.unserve('coder', 'stop', 1000);
  await server.served();
  t.equal(server.ends[1]?.end.exitCode, 0);
  t.equal(await ask(server.url, '/p/coder/v1/models', KEYS.coder), 404, 'it is not');
});

t.test('no two profiles share a conversation, though they share a human', async (t) => {
  const server = await startServer(t);
  server.serve('coder');
  await server.served('coder');
  const ids = await Promise.all(
    [
      { path: '', key: KEYS.default },
      { path: '/p/coder', key: KEYS.coder },
    ].map(async ({ path, key }) => {
      const response = await fetch(`${server.url}${path}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${key}`,
          'x-gatewarden-session-key': 'the same human',
        },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
      });
      return response.headers.get('x-gatewarden-session-id');
    }),
  );
  t.ok(ids[0] && ids[1]);
  t.not(ids[0], ids[1]);
});
