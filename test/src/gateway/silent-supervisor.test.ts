import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import type { FromWorker } from '../../../src/core/ipc.js';
import { WorkerLife } from '../../../src/gateway/worker-life.js';
import { readEarlierLife } from '../../../src/store/index.js';
import { assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { until } from '../../support/until.js';

/** A gateway without platforms, whose supervisor hears everything and says nothing. */
async function unheard(home: string) {
  const said: FromWorker[] = [];
  const log: string[] = [];
  const exits: number[] = [];
  const life = new WorkerLife({
    send: (message) => said.push(message),
    writeLog: (line) => log.push(line),
    becomeKnownAs: () => {},
    becomeAccount: () => {},
    exit: (code) => exits.push(code),
    watchdog: undefined,
    timings: { restartAnswerMs: 20 },
  });
  life.take(
    {
      code: 'assign',
      assignment: assignmentIn(home, { localSocket: undefined, apiServer: undefined }),
    },
    undefined,
  );
  await until('it is ready', () => said.some(({ code }) => code === 'ready'));
  return { life, said, log, exits };
}

t.test('a supervisor that does not answer a wish for a restart does not prevent it', async (t) => {
  const home = shortDir(t);
  const { life, said, exits } = await unheard(home);
  life.restart('SIGUSR2');
  t.match(said.at(-1), { code: 'restart-wanted', detail: 'SIGUSR2' });
  await until('it ends', () => exits.length > 0);
  t.strictSame(exits, [EXIT.planned]);
  const ledger = join(home, 'state', 'lifecycle.json');
  t.strictSame(readEarlierLife(ledger), { kind: 'ended', isClean: true });
});

t.test('a signal that nobody had announced gives interrupted turns one second', async (t) => {
  const { life, log, exits } = await unheard(shortDir(t));
  life.terminate();
  await until('it ends', () => exits.length > 0);
  t.strictSame(exits, [EXIT.failure]);
  t.match(
    log.find((line) => line.includes('"draining"')),
    /"interruptGraceMs":1000,/,
  );
});

t.test('a stop that was asked for gives them what the profile says', async (t) => {
  const { life, log, exits } = await unheard(shortDir(t));
  life.take({ code: 'drain', reason: 'stop', budgetMs: 0 }, undefined);
  life.terminate();
  await until('it ends', () => exits.length > 0);
  t.strictSame(exits, [EXIT.done]);
  t.match(
    log.find((line) => line.includes('"draining"')),
    /"interruptGraceMs":2000,/,
  );
});
