import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { profileLayout } from '../../src/config/paths.js';
import { EXIT } from '../../src/core/exit-codes.js';
import { acquireLock } from '../../src/store/lock.js';
import { ownOwner } from '../../src/store/place.js';
import { runLone } from '../support/lone-gateway.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';

const MS_PER_TICK = 10;

/** Processor time of a process; undefined once it is gone. */
function usedMs(pid: number): number | undefined {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** What a Node process costs here and now that does nothing but begin and end. */
function bareMs(): number {
  const script = 'const {user, system} = process.cpuUsage(); console.log((user + system) / 1000)';
  return Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
}

t.test(
  'a gateway that waits for a lock costs less than it takes to begin, and names whom it waits for',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async (t) => {
    const home = makeHome(t, profileFile('one', {}));
    const { gatewayLock, stateDir } = profileLayout(home, 'one');
    mkdirSync(stateDir, { recursive: true });
    const held = acquireLock(gatewayLock, ownOwner(home, 'one'));
    if (held.kind !== 'held') throw new Error('the lock of a new home is not free');
    t.teardown(() => held.lock.release());

    const waiting = runLone(t, home);
    await until('it waits', () => waiting.output().includes('another gateway'));
    const begunAt = performance.now();
    const before = usedMs(waiting.pid) ?? 0;
    let last = before;
    await until('it has given up', () => {
      last = usedMs(waiting.pid) || last;
      return waiting.child.exitCode !== null;
    });
    const waitedMs = performance.now() - begunAt;
    const share = ((last - before) / waitedMs) * 100;
    const bare = bareMs();
    t.comment(
      `${last - before} ms of processor time in ${Math.round(waitedMs)} ms (${share.toFixed(1)} %); a bare Node takes ${Math.round(bare)} ms`,
    );
    t.ok(last - before <= 2 * bare, 'no busy wait');
    t.strictSame(await waiting.exited, { code: EXIT.failure, signal: null });
    t.match(waiting.output(), `pid ${process.pid} (`);
    t.match(waiting.output(), /is still starting/);
  },
);
