import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { asks, openHome, starts } from '../../../support/gateway-again.js';
import { says } from '../../../support/gateway-model-server.js';
import { isAlive } from '../../../support/gateway-processes.js';
import { gone } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';
import { skipWithoutCgroups } from '../../../support/test-containment.js';

const options = { skip: skipWithoutCgroups() };

/** One that lost its parent, its session and its environment: only its cgroup tells whose it is. */
const LEAVES_A_STRANGER = '(setsid env -i /bin/sleep 601 & echo $! >stranger.pid); exec sleep 600';

async function leaveTree(t: Test, home: Awaited<ReturnType<typeof openHome>>) {
  const first = await home.start();
  const said = await home.ask('start it');
  const file = join(home.home, 'stranger.pid');
  const stranger = await until(
    () => existsSync(file) && Number(readFileSync(file, 'utf8')),
    'the pid',
  );
  const root = Number(said.pid);
  t.teardown(() => {
    for (const pid of [root, stranger]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  await until(() => existsSync(home.file) && /"pid"/.test(readFileSync(home.file, 'utf8')), 'it');
  first.child.kill('SIGKILL');
  await first.gone();
  const alive = { root: isAlive(root), stranger: isAlive(stranger) };
  t.strictSame(alive, { root: true, stranger: true }, 'both outlived their gateway');
  return { id: said.process_id, root, stranger };
}

t.test(
  'the cgroup of an adopted process is taken over with all that is in it',
  options,
  async (t) => {
    let id: unknown;
    const home = await openHome(
      t,
      starts(LEAVES_A_STRANGER),
      says(['it runs']),
      (response, call) => asks('kill', id)(response, call),
      says(['ended']),
    );
    const left = await leaveTree(t, home);
    id = left.id;
    const second = await home.start();
    t.match(await home.ask('end it'), { state: 'killed' });
    t.notOk(isAlive(left.root) || isAlive(left.stranger));
    second.child.kill('SIGTERM');
    await second.gone();
  },
);

t.test('when its root is gone, what the cgroup still holds is ended', options, async (t) => {
  let id: unknown;
  const home = await openHome(
    t,
    starts(LEAVES_A_STRANGER),
    says(['it runs']),
    (response, call) => asks('poll', id)(response, call),
    says(['it is gone']),
  );
  const left = await leaveTree(t, home);
  id = left.id;
  process.kill(left.root, 'SIGKILL');
  await gone(left.root);
  const second = await home.start();
  t.notOk(isAlive(left.stranger), 'before the gateway is ready');
  t.match(await home.ask('what became of it?'), { state: 'gone' });
  second.child.kill('SIGTERM');
  await second.gone();
});
