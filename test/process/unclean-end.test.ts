import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { profileLayout } from '../../src/config/paths.js';
import { DIAGNOSIS_FILE } from '../../src/forensics/index.js';
import { currentLogPath } from '../../src/observability/index.js';
import { readEarlierLife } from '../../src/store/index.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, rowOf, untilNothingIsLeft, untilStatus, up } from '../support/up.js';

/** it serves; on a busy host its loop may be late enough to be told */
const isReady = (report: Parameters<typeof rowOf>[0]) =>
  ['ready', 'degraded'].includes(rowOf(report, 'one')?.state ?? '');
/** three starts of a supervisor, beside whatever else this machine does */
const PATIENCE = { deadlineMs: 90_000 };

t.test(
  'an end without a word is recognised at the next start, an orderly one is not',
  async (t) => {
    const home = makeHome(t, profileFile('one', { restart: { backoff_base_seconds: 0.1 } }));
    const { ledger } = profileLayout(home, 'one');
    // there is none before its first line
    const gatewayLog = () => {
      const path = currentLogPath(join(home, 'logs', 'one'));
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    const said = 'the gateway before ended without a word';
    const unclean = async () => {
      const { stdout } = await cli(home, 'history', '--json');
      return stdout.split('\n').filter((line) => line.includes('"unclean-exit"'));
    };

    const first = await up(t, home);
    const ready = await untilStatus(home, 'it is ready', isReady, PATIENCE);
    t.notMatch(gatewayLog(), said, 'a first life has none before it');
    process.kill(rowOf(ready, 'one')?.pid ?? 0, 'SIGKILL');
    await until('its successor says so', () => gatewayLog().includes(said), PATIENCE);
    await untilStatus(home, 'and serves', isReady, PATIENCE);
    t.strictSame(await unclean(), [], 'the supervisor knew that death itself');

    first.child.kill('SIGKILL');
    await first.exited;
    await untilNothingIsLeft(home);
    const second = await up(t, home);
    await untilStatus(home, 'it is ready again', isReady, PATIENCE);
    const events = await unclean();
    t.ok(
      events.some((line) => line.includes('"profile":""')),
      'of the supervisor',
    );
    t.match(events[0], 'last sign of life');

    second.child.kill('SIGTERM');
    t.equal(await second.exited, 0);
    t.strictSame(readEarlierLife(ledger), { kind: 'ended', isClean: true });
    t.strictSame(readEarlierLife(join(home, 'state', 'lifecycle.json')), {
      kind: 'ended',
      isClean: true,
    });
    const diagnosis = join(home, 'logs', '_supervisor', DIAGNOSIS_FILE);
    t.match(readFileSync(diagnosis, 'utf8').split('\n')[0], '"signal":"SIGTERM"');
    const log = readFileSync(currentLogPath(join(home, 'logs', '_supervisor')), 'utf8');
    t.match(log, /"signal":"SIGTERM".*"parent":\{"pid":\d+.*a signal asks for the end/);
  },
);
