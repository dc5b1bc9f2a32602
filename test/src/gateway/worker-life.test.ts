import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import type { ProcessIdentity } from '../../../src/core/process-identity.js';
import { writeTakeover } from '../../../src/ownership/takeover-marker.js';
import { readEarlierLife } from '../../../src/store/index.js';
import { ownOwner } from '../../../src/store/place.js';
import { identityOf } from '../../../src/store/process-table.js';
import { API, assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { bootWorker, type ForkedGateway, GatewayPrimary } from '../../support/gateway-primary.js';
import { until } from '../../support/gateway-within.js';
import {
  ask,
  bootAs,
  isMarked,
  sessionRow,
  textOf,
  waitsFor,
} from '../../support/gateway-worker-asks.js';

/** What the next gateway finds of the one before. */
const lifeIn = (home: string) => readEarlierLife(join(home, 'state', 'lifecycle.json'));

const primary = new GatewayPrimary();
t.teardown(() => primary.close());

const ENDS: readonly (readonly [string, (worker: ForkedGateway) => void, number])[] = [
  [
    'a drain to stop',
    (worker) => worker.send({ code: 'drain', reason: 'stop', budgetMs: 5000 }),
    EXIT.done,
  ],
  [
    'a drain to restart',
    (worker) => worker.send({ code: 'drain', reason: 'restart', budgetMs: 5000 }),
    EXIT.planned,
  ],
  ['a foreign SIGTERM', (worker) => void process.kill(worker.pid, 'SIGTERM'), EXIT.failure],
  ['SIGUSR2', (worker) => void process.kill(worker.pid, 'SIGUSR2'), EXIT.planned],
  ['the loss of the supervisor', (worker) => worker.worker.disconnect(), EXIT.done],
];
for (const [name, end, code] of ENDS) {
  t.test(`${name} ends a gateway with ${code}, a turn finishes first`, async (t) => {
    const home = shortDir(t);
    const go = join(home, 'go');
    const { worker, url } = await bootAs(
      t,
      primary,
      assignmentIn(home, { agent: waitsFor(go), apiServer: API }),
    );
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    end(worker);
    await until(() => existsSync(join(home, 'state', 'state.db')) && isMarked(home), 'the mark');
    writeFileSync(go, '');
    t.equal(await textOf(await answer), 'begun done');
    t.strictSame(await worker.gone(), { code, signal: null });
    t.match(sessionRow(home), { resume_pending: 0, resume_reason: null });
    t.strictSame(lifeIn(home), { kind: 'ended', isClean: true });
  });

  // who is nobody serves nobody: a signal takes nothing away
  const codeOfNobody = code === EXIT.failure ? EXIT.done : code;
  t.test(`${name} ends a worker that is nobody yet with ${codeOfNobody}`, async (t) => {
    const worker = await bootWorker(t, primary);
    end(worker);
    t.strictSame(await worker.gone(), { code: codeOfNobody, signal: null });
  });
}

t.test('a SIGTERM of one that takes its place is planned: it ends with 0', async (t) => {
  const home = shortDir(t);
  const assignment = assignmentIn(home);
  const { worker } = await bootAs(t, primary, assignment);
  const { identity } = identifyOwner(worker.pid);
  const target = { ...ownOwner(home, assignment.profile), identity };
  const marker = join(assignment.stateDir, 'gateway.takeover.json');
  writeTakeover(marker, { target, by: ownOwner(home, assignment.profile) });
  process.kill(worker.pid, 'SIGTERM');
  t.strictSame(await worker.gone(), { code: EXIT.done, signal: null });
});

function identifyOwner(pid: number): { readonly identity: ProcessIdentity } {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return { identity };
}

t.test(
  'a turn that outlives the budget is cut off, told to retry, and its session marked',
  async (t) => {
    const home = shortDir(t);
    const agent = waitsFor(join(home, 'never'));
    const { worker, url } = await bootAs(t, primary, assignmentIn(home, { agent }));
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    worker.send({ code: 'drain', reason: 'restart', budgetMs: 100 });
    const response = await answer;
    t.equal(response.status, 503);
    t.match(response.headers.get('Retry-After'), /^\d+$/);
    t.match(await response.json(), { error: { code: 'turn-interrupted' } });
    t.strictSame(await worker.gone(), { code: EXIT.planned, signal: null });
    t.match(sessionRow(home), { resume_pending: 1, resume_reason: 'restart_timeout' });
    t.strictSame(lifeIn(home), { kind: 'ended', isClean: false }, 'it was cut off');
  },
);

t.test('hurry cuts a long drain short, and so does a second SIGTERM', async (t) => {
  for (const hurry of [
    (worker: ForkedGateway) => worker.send({ code: 'hurry' }),
    (worker: ForkedGateway) => void process.kill(worker.pid, 'SIGTERM'),
  ]) {
    const home = shortDir(t);
    const { worker, url } = await bootAs(
      t,
      primary,
      assignmentIn(home, { agent: waitsFor(join(home, 'never')), drainMs: 600_000 }),
    );
    const answer = ask(url, 'hello');
    await worker.said('report', ({ report }) => report.work.length === 1);
    process.kill(worker.pid, 'SIGTERM');
    await until(() => isMarked(home), 'the mark');
    hurry(worker);
    t.equal((await answer).status, 503);
    t.strictSame(await worker.gone(), { code: EXIT.failure, signal: null });
  }
});
