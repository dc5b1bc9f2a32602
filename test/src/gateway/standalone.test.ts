import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import { readEarlierLife } from '../../../src/store/index.js';
import type { Evidence } from '../../../src/watchdog/thread/gather-evidence.js';
import { AloneGateway } from '../../support/gateway-alone.js';
import { assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { ChatClient } from '../../support/gateway-chat-client.js';
import { until } from '../../support/gateway-within.js';
import { ask, isMarked, textOf, waitsFor } from '../../support/gateway-worker-asks.js';

/** What the next gateway finds of the one before. */
const lifeIn = (home: string) => readEarlierLife(join(home, 'state', 'lifecycle.json'));

for (const [signal, code] of [
  ['SIGTERM', EXIT.done],
  ['SIGINT', EXIT.done],
  ['SIGUSR2', EXIT.planned],
] as const) {
  t.test(`${signal} ends a gateway without a supervisor with ${code}`, async (t) => {
    const home = shortDir(t);
    const alone = new AloneGateway(t, assignmentIn(home));
    t.equal(await textOf(await ask(await alone.ready(), 'hello')), 'hello');
    alone.child.kill(signal);
    t.strictSame(await alone.gone(), { code, signal: null });
    t.equal(alone.stderr, '');
    t.notOk(existsSync(join(home, 'local.sock')), 'the socket file is gone');
    t.strictSame(lifeIn(home), { kind: 'ended', isClean: true });
  });
}

t.test('a second signal hurries', async (t) => {
  const home = shortDir(t);
  const agent = waitsFor(join(home, 'never'));
  const alone = new AloneGateway(t, assignmentIn(home, { agent, drainMs: 600_000 }));
  const url = await alone.ready();
  const answer = ask(url, 'hello');
  await until(
    async () =>
      ((await (await fetch(`${url}/health/detailed`)).json()) as { work: { active: number } }).work
        .active === 1,
    'the turn',
  );
  alone.child.kill('SIGTERM');
  await until(() => isMarked(home), 'the drain');
  alone.child.kill('SIGINT');
  t.equal((await answer).status, 503);
  t.strictSame(await alone.gone(), { code: EXIT.done, signal: null });
  t.strictSame(lifeIn(home), { kind: 'ended', isClean: false }, 'a turn was cut off');
});

for (const signal of ['SIGTERM', 'SIGUSR2'] as const) {
  t.test(
    `a loop that stands still already when ${signal} comes is ended in time, with evidence`,
    async (t) => {
      const home = shortDir(t);
      const blockNow = join(home, 'block-now');
      const evidenceDir = join(home, 'state', 'evidence');
      const kinds = () => readdirIfThere(evidenceDir).map((name) => name.replace(/^.*Z-\d+-/, ''));
      const assignment = assignmentIn(home);
      const alone = new AloneGateway(
        t,
        {
          ...assignment,
          budgets: { ...assignment.budgets, drainLimitMs: 300, guardAfterDrainMs: 300 },
          // its strikes would take two hours
          watchdog: { ...assignment.watchdog, sampleMs: 50, warnAfterMs: 200, strikeMs: 3_600_000 },
        },
        blockNow,
      );
      await alone.ready();
      writeFileSync(blockNow, '');
      await until(() => kinds().includes('loop-late.json'), 'the loop stands still');
      alone.child.kill(signal);
      t.strictSame(await alone.gone(), { code: null, signal: 'SIGKILL' });
      t.ok(kinds().includes('stop-timeout.json'), kinds().join());
      t.match(alone.stderr, /watchdog: stop-timeout: blocked in aToolHandlerThatHangs \(/);
      t.notMatch(alone.stderr, /deprecat/i, 'and Node has nothing to warn of');
    },
  );
}

t.test('a silent turn that the loop itself gives up leaves the same evidence', async (t) => {
  const home = shortDir(t);
  const never = join(home, 'never');
  const inactivity = { limitMs: 400, warningMs: 0, noteMs: 0 };
  const assignment = assignmentIn(home, { agent: waitsFor(never), inactivity });
  const alone = new AloneGateway(t, assignment, never);
  const answer = ask(await alone.ready(), 'hello');
  const evidenceDir = join(home, 'state', 'evidence');
  const found = await until(() => {
    const names = readdirIfThere(evidenceDir);
    return names.find((name) => name.endsWith('-inactive-turn.json'));
  }, 'the evidence');
  const evidence = JSON.parse(readFileSync(join(evidenceDir, found), 'utf8')) as Evidence;
  t.match(evidence, { kind: 'inactive-turn', profile: 'default', turns: [{ limitMs: 400 }] });
  t.ok((evidence.turns[0]?.idleMs ?? 0) >= 400, 'the turn was still open, and silent');
  t.not((await answer).status, 200);
});

t.test('a second gateway of the profile is refused and names the first', async (t) => {
  const home = shortDir(t);
  const first = new AloneGateway(t, assignmentIn(home));
  const url = await first.ready();
  const second = new AloneGateway(t, assignmentIn(home));
  t.strictSame(await second.gone(), { code: EXIT.config, signal: null });
  t.match(
    second.stderr,
    new RegExp(
      `only gateway of profile default, but pid ${first.pid} \\(.*\\) owns .*gateway-already-running`,
    ),
  );
  t.equal(await textOf(await ask(url, 'untouched')), 'untouched');
});

t.test('a gateway that was killed leaves nothing that stops the next one', async (t) => {
  const home = shortDir(t);
  const first = new AloneGateway(t, assignmentIn(home));
  await first.ready();
  first.child.kill('SIGKILL');
  await first.gone();
  t.ok(existsSync(join(home, 'local.sock')), 'its socket file is still there');
  const second = new AloneGateway(t, assignmentIn(home));
  await second.ready();
  const client = new ChatClient(join(home, 'local.sock'));
  client.send({ code: 'message', text: 'hello' });
  t.equal((await client.line('final')).text, 'hello');
  client.socket.destroy();
});

t.test('a socket on which another program answers is not taken', async (t) => {
  const home = shortDir(t);
  const path = join(home, 'local.sock');
  const other = createServer((socket) => socket.on('error', () => {}).end('mine\n')).listen(path);
  await once(other, 'listening');
  t.teardown(() => other.close());
  const alone = new AloneGateway(t, assignmentIn(home));
  t.strictSame(await alone.gone(), { code: EXIT.failure, signal: null });
  t.match(alone.stderr, /cannot listen on unix:.*EADDRINUSE.*listen-failed/);
  t.ok(existsSync(path));
});

function readdirIfThere(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
