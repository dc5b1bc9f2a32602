import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { runAlone, runLone, untilReady } from '../support/lone-gateway.js';
import { runBinary } from '../support/run-cli.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli, rowOf, statusOf, untilStatus, upIn } from '../support/up.js';

interface Homes {
  readonly home: string;
  /** a link to it */
  readonly alias: string;
  /** everything of it, records of the living too, in another place */
  copyTo(): string;
}

function makeHomes(t: Test): Homes {
  const home = makeHome(t, profileFile('one', {}));
  const root = mkdtempSync('/tmp/gw-');
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const alias = join(root, 'alias');
  symlinkSync(home, alias);
  // its state is on another disk, as people do when the first one is full
  const moved = join(root, 'state');
  mkdirSync(moved, { mode: 0o700 });
  symlinkSync(moved, join(home, 'profiles', 'one', 'state'));
  return {
    home,
    alias,
    copyTo: () => {
      const copy = join(root, 'copy');
      const filter = (path: string) => !path.endsWith('.sock');
      cpSync(home, copy, { recursive: true, dereference: true, filter });
      return copy;
    },
  };
}

t.test('one gateway by whatever name its home goes, and another for a copy', async (t) => {
  const { alias, copyTo, home } = makeHomes(t);
  const lockDir = join(home, 'locks');
  const gateway = runAlone(t, { home: alias, profile: 'one', lockDir });
  await untilReady(gateway);
  for (const name of [home, alias]) {
    const second = runAlone(t, { home: name, profile: 'one', lockDir });
    t.strictSame(await second.exited, { code: EXIT.config, signal: null }, name);
    t.match(second.output(), `pid ${gateway.pid} (`);
    t.match((await cli(name, 'status')).stdout, `one: pid ${gateway.pid} serves it`);
  }
  const copy = copyTo();
  t.notMatch((await cli(copy, 'status')).stdout, `pid ${gateway.pid} serves`);
  await untilReady(runLone(t, copy));
  t.equal(gateway.child.exitCode, null, 'the original goes on');
});

t.test('one supervisor by whatever name its home goes, and none for a copy', async (t) => {
  const { alias, copyTo, home } = makeHomes(t);
  const running = await upIn(t, home, { env: { XDG_RUNTIME_DIR: home } });
  const isReady = (report: NonNullable<Awaited<ReturnType<typeof statusOf>>>) =>
    rowOf(report, 'one')?.state === 'ready';
  await untilStatus(home, 'one is ready', isReady);
  t.equal((await statusOf(alias))?.supervisor.pid, running.pid, 'its alias reaches it');
  const second = await runBinary(['--home', alias, 'up'], { env: { XDG_RUNTIME_DIR: home } });
  t.equal(second.code, EXIT.config, second.stderr);
  t.match(second.stderr, `pid ${running.pid} (`);

  const copy = copyTo();
  t.equal(await statusOf(copy), undefined, 'a copy is not answered by the original');
  t.not((await cli(copy, 'stop', 'one')).code, 0);
  t.equal(rowOf(await statusOf(home), 'one')?.state, 'ready', 'and stops nothing of it');
  const other = await upIn(t, copy, { env: { XDG_RUNTIME_DIR: home } });
  await untilStatus(copy, 'the copy runs by itself', isReady);
  t.equal((await statusOf(copy))?.supervisor.pid, other.pid);

  const moved = `${copy}-moved`;
  renameSync(copy, moved);
  t.equal((await statusOf(moved))?.supervisor.pid, other.pid, 'a home that was moved is the same');
  renameSync(moved, copy);
});
