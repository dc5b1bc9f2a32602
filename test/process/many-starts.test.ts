import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { type LoneGateway, runLone, untilNoDrafts, untilReady } from '../support/lone-gateway.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';

const isThorough = process.env['GATEWARDEN_THOROUGH'] === '1';
/** fifty where time does not matter: each is a whole Node */
const STARTS = isThorough ? 50 : 6;
const PATIENCE = { deadlineMs: isThorough ? 540_000 : 120_000, everyMs: 25 };

t.test(
  `of ${STARTS} starts of one profile in the same instant one serves, the others are refused`,
  { timeout: 600_000 },
  async (t) => {
    const home = makeHome(t, profileFile('one', {}));
    const begunAt = performance.now();
    const all = Array.from({ length: STARTS }, () => runLone(t, home));
    const hasEnded = ({ child }: LoneGateway) => child.exitCode !== null;
    const isOver = () =>
      all.filter(hasEnded).length >= STARTS - 1 && all.some((one) => one.isReady());
    await until('all but one have ended and that one is ready', isOver, PATIENCE);
    const tookMs = performance.now() - begunAt;

    const [winner, ...more] = all.filter((one) => !hasEnded(one));
    t.equal(more.length, 0, 'exactly one is left');
    const losers = all.filter(hasEnded);
    const wrong = losers.filter((one) => one.child.exitCode !== rightCode(one.output()));
    t.strictSame(
      wrong.map((one) => `${one.child.exitCode} ${one.output()}`),
      [],
    );
    const unnamed = losers.filter((one) => !one.output().includes(`pid ${winner?.pid} (`));
    t.strictSame(
      unnamed.map((one) => one.output()),
      [],
      'each names the one that serves',
    );
    t.notOk(
      losers.some((one) => one.isReady()),
      'none of them was ever ready',
    );

    const stateDir = join(home, 'profiles', 'one', 'state');
    await untilNoDrafts(stateDir);
    const record = JSON.parse(readFileSync(join(stateDir, 'gateway.json'), 'utf8'));
    t.match(record, { pid: winner?.pid, phase: 'serving' });
    const owner = JSON.parse(readFileSync(join(stateDir, 'gateway.lock.owner.json'), 'utf8'));
    t.match(owner, { identity: { pid: winner?.pid }, home, profile: 'one' });

    winner?.child.kill('SIGTERM');
    t.strictSame(await winner?.exited, { code: EXIT.done, signal: null });
    await untilReady(runLone(t, home));
    const forGood = losers.filter(({ child }) => child.exitCode === EXIT.config).length;
    if (isThorough) t.comment(`${forGood} ended with ${EXIT.config}; ${await compare(tookMs)}`);
  },
);

/**
 * For good once the winner is seen to serve, by its greeting or by its beat. Who waited 5 s while
 * it was still starting may try again; one that beats is never called silent.
 */
function rightCode(output: string): number {
  if (!output.includes('(owner-busy)')) return EXIT.config;
  return output.includes('is still starting') ? EXIT.failure : EXIT.config;
}

/** So many Node processes that do nothing at all, for the part of the time that is not ours. */
async function compare(tookMs: number): Promise<string> {
  const begunAt = performance.now();
  const bare = Array.from({ length: STARTS }, () => spawn(process.execPath, ['-e', '0']));
  await Promise.all(bare.map((child) => once(child, 'exit')));
  const bareMs = performance.now() - begunAt;
  const times = (tookMs / bareMs).toFixed(1);
  return `${STARTS} starts settled in ${Math.round(tookMs)} ms; ${STARTS} bare Nodes take ${Math.round(bareMs)} ms: ${times} times`;
}
