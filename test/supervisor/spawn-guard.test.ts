import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StatusReport } from '../../src/core/status.js';
import { runAlone, untilReady } from '../support/lone-gateway.js';
import { makeHome, profileFile, writeHomeFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, rowOf, untilStatus, upIn } from '../support/up.js';

const lockDirIn = (home: string) => ({ GATEWARDEN_GATEWAY_LOCK_DIR: join(home, 'locks') });

function allowing(allowed: readonly string[]): string {
  return JSON.stringify({
    gateway: { multiplex_profiles: true, multiplex_profile_allowlist: allowed },
  });
}

t.test(
  'what runs without the supervisor is parked with its owner, and no process is made for it',
  { timeout: 400_000 },
  async (t) => {
    const names = ['default', 'coder', 'writer', 'other'];
    const profiles = Object.assign({}, ...names.map((name) => profileFile(name, {})));
    const home = makeHome(t, { ...profiles, 'config.yaml': allowing(['coder']) });
    const server = runAlone(t, { home, profile: 'default' });
    const other = runAlone(t, { home, profile: 'other' });
    await Promise.all([untilReady(server), untilReady(other)]);
    await until('coder is served', () => server.output().includes('coder is served'));
    writeHomeFile(home, 'config.yaml', allowing(['coder', 'writer']));

    await upIn(t, home, { env: { XDG_RUNTIME_DIR: home, ...lockDirIn(home) } });
    const isParked = (report: StatusReport) =>
      names.every((name) => rowOf(report, name)?.state === 'parked');
    const report = await untilStatus(home, 'all are parked', isParked);
    const detailOf = (name: string) => rowOf(report, name)?.parked?.detail ?? '';
    for (const name of ['default', 'coder', 'writer']) {
      t.match(detailOf(name), `pid ${server.pid} (`);
    }
    t.match(detailOf('other'), `pid ${other.pid} (`);
    for (const name of ['coder', 'writer']) t.match(detailOf(name), /served/);
    const events = (await cli(home, 'history', '--json', '--limit', '500')).stdout;
    t.notMatch(events, /"code":"spawned"/, 'no process was made');
    t.equal(events.match(/"code":"died"/g)?.length, names.length, 'and there was no second try');
    const path = join(home, 'profiles', 'default', 'state', 'gateway.json');
    const record = JSON.parse(readFileSync(path, 'utf8'));
    t.strictSame(record.served_profiles, ['coder', 'writer'], 'the newly allowed one is taken up');

    const started = await cli(home, 'start', 'coder');
    t.match(started.stdout, `coder: is served already, by pid ${server.pid} (`);
    t.equal(started.code, 0);
    other.child.kill('SIGTERM');
    await other.exited;
    t.equal((await cli(home, 'start', 'other')).code, 0);
  },
);
