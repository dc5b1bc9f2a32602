import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { plantDrafts, runLone, untilNoDrafts, untilReady } from '../support/lone-gateway.js';
import { makeHome, profileFile } from '../support/supervised-home.js';

/** Two hundred where time does not matter: each is a whole start. */
const KILLS = process.env['GATEWARDEN_THOROUGH'] === '1' ? 200 : 6;

t.test(
  `after each of ${KILLS} kills at a random moment of a start or a stop the next start works`,
  { timeout: 1_500_000 },
  async (t) => {
    const home = makeHome(t, profileFile('one', {}));
    const times = await measure(t, home);
    const startMs: number[] = [];
    for (let round = 0; round < KILLS; round += 2) {
      const killed = runLone(t, home);
      await sleep(Math.random() * times.startMs);
      killed.child.kill('SIGKILL');
      await killed.exited;

      const begunAt = performance.now();
      const next = runLone(t, home);
      await untilReady(next);
      startMs.push(performance.now() - begunAt);
      if (next.output().includes('another gateway')) t.fail(`round ${round}: it had to wait`);

      next.child.kill('SIGTERM');
      await sleep(Math.random() * times.stopMs);
      next.child.kill('SIGKILL');
      await next.exited;
    }
    const stateDir = join(home, 'profiles', 'one', 'state');
    t.match(plantDrafts(stateDir).join(' '), '.lifecycle.json.');
    await untilReady(runLone(t, home));
    await untilNoDrafts(stateDir);
    const sorted = startMs.sort((left, right) => left - right);
    t.comment(
      `undisturbed start ${Math.round(times.startMs)} ms, stop ${Math.round(times.stopMs)} ms; after a kill: median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms`,
    );
    t.pass('every start after a kill became ready without waiting for anybody');
  },
);

/** How long a start and a stop take here and now: the kills fall within. */
async function measure(t: Parameters<typeof runLone>[0], home: string) {
  const begunAt = performance.now();
  const gateway = runLone(t, home);
  await untilReady(gateway);
  const readyAt = performance.now();
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  return { startMs: readyAt - begunAt, stopMs: performance.now() - readyAt };
}
