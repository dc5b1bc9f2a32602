import { existsSync, readdirSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { StatusReport } from '../../src/core/status.js';
import {
  bootSystemd,
  GUEST_COMMAND,
  GUEST_PACKAGE,
  type Systemd,
  withSystemd,
} from '../support/systemd.js';
import { until } from '../support/until.js';

const HOME = '/var/lib/gw';
const UNIT = 'gw-delegated.service';
const CGROUP = `/sys/fs/cgroup/system.slice/${UNIT}`;
const STRANGERS = 3;
/** command lines of everything that the profiles below start */
const OURS = /gatewarden|grows-tree|sleep (471|1000)/;
/** a look starts a Node */
const PATIENCE = { everyMs: 100 };

/** A unit by hand: what delegation does must not depend on what the generator writes. */
const unit = (...more: string[]) => [
  '[Service]',
  `ExecStart=${GUEST_COMMAND} --home ${HOME} up`,
  'KillMode=mixed',
  ...more,
];

function writeProfiles(systemd: Systemd): void {
  const grows = `${GUEST_PACKAGE}/test/fixtures/grows-tree.py`;
  const profiles = {
    // a tree that has nothing in common with its root but the cgroup
    tree: { command: [grows, String(STRANGERS), 'scrubbed-double-fork'], ready: { log: 'grown' } },
    chat: {
      drain_seconds: 1,
      agent: { driver: 'command', command: ['/bin/sh', '-c', 'setsid sleep 4711 & sleep 4712'] },
    },
  };
  for (const [name, config] of Object.entries(profiles)) {
    systemd.write(`${HOME}/profiles/${name}/config.yaml`, JSON.stringify(config), 0o600);
  }
}

async function statusOf(systemd: Systemd): Promise<StatusReport | undefined> {
  const { stdout } = await systemd.gatewarden(HOME, 'status', '--json');
  return stdout.startsWith('{') ? (JSON.parse(stdout) as StatusReport) : undefined;
}

async function untilReady(systemd: Systemd): Promise<StatusReport> {
  let last: StatusReport | undefined;
  await until(
    'every profile is ready',
    async () => {
      last = await statusOf(systemd);
      return last?.profiles.length === 2 && last.profiles.every(({ state }) => state === 'ready');
    },
    PATIENCE,
  );
  if (last === undefined) throw new Error('no status');
  return last;
}

/** Cgroups below the unit's own, with the parts that differ from run to run taken out. */
function cgroupsOf(systemd: Systemd): string[] {
  const names = readdirSync(systemd.path(CGROUP), { recursive: true, encoding: 'utf8' });
  const tidy = names.map((name) =>
    name.replace(/^gatewarden-[^/]+/, 'gatewarden').replace(/turn-[0-9a-f-]{36}/, 'turn-‹id›'),
  );
  return tidy.filter((name) => existsAsDirectory(name)).sort();
}

function treeMembers(systemd: Systemd): string[] {
  const [tree = ''] = readdirSync(systemd.path(CGROUP)).filter((name) =>
    name.startsWith('gatewarden-'),
  );
  return systemd.read(`${CGROUP}/${tree}/tree/gateway/cgroup.procs`).trim().split('\n');
}

/** Files of a cgroup have a dot in their names and its children, but for turns, have none. */
function existsAsDirectory(name: string): boolean {
  return !/(^|\/)(cgroup|cpu|memory|io|pids|irq|cpuset|hugetlb|rdma|misc|dmem)\.[^/]*$/.test(name);
}

async function startService(t: Test, systemd: Systemd, ...more: string[]): Promise<StatusReport> {
  await systemd.install(UNIT, unit(...more));
  await systemd.do('systemctl', 'start', UNIT);
  t.teardown(() => systemd.systemctl('stop', UNIT));
  return await untilReady(systemd);
}

t.test('a supervisor in a service of the real systemd', withSystemd(), async (t) => {
  const systemd = await bootSystemd(t);
  writeProfiles(systemd);

  await t.test('has a cgroup per profile and per turn, and a stop leaves none of it', async (t) => {
    const status = await startService(t, systemd, 'Delegate=yes');
    t.match(status.supervisor, { containment: 'cgroup2', weakerBecause: null, manager: 'systemd' });
    const argv = [GUEST_COMMAND, '--home', HOME, 'chat', 'chat'];
    const chat = systemd.run(argv, { input: 'hello' });
    await until('the turn runs', async () => (await systemd.running(/sleep 471[12]/)).length >= 2);
    t.strictSame(cgroupsOf(systemd), [
      'gatewarden',
      'gatewarden/chat',
      'gatewarden/chat/gateway',
      'gatewarden/chat/turn-‹id›.agent',
      'gatewarden/supervisor',
      'gatewarden/tree',
      'gatewarden/tree/gateway',
    ]);
    const members = treeMembers(systemd);
    t.equal(members.length, STRANGERS, 'the strangers are in it');

    await systemd.do('systemctl', 'stop', UNIT);
    t.match(await systemd.show(UNIT, 'Result', 'ActiveState'), {
      Result: 'success',
      ActiveState: 'inactive',
    });
    t.strictSame(await systemd.running(OURS), [], 'no process');
    t.notOk(existsSync(systemd.path(CGROUP)), 'no cgroup');
    await chat;
  });

  await t.test('without delegation it says why it has the weaker means', async (t) => {
    await systemd.do('chown', '-R', 'daemon', HOME);
    const status = await startService(t, systemd, 'User=daemon');
    await systemd.do('systemctl', 'stop', UNIT);
    await systemd.do('chown', '-R', 'root', HOME);
    t.equal(status.supervisor.containment, 'session+tag');
    t.match(
      status.supervisor.weakerBecause,
      /is not delegated to us \(under systemd: Delegate=yes\)/,
    );
  });

  await t.test('ExecStopPost ends what KillMode would leave', async (t) => {
    await startService(
      t,
      systemd,
      'Delegate=yes',
      // systemd itself kills nobody but the main process
      'KillMode=process',
      `ExecStopPost=${GUEST_COMMAND} reap`,
    );
    // nobody is left who could end anything by himself
    await systemd.do('systemctl', 'kill', '--kill-who=all', '--signal=STOP', UNIT);
    await systemd.do('systemctl', 'kill', '--kill-who=main', '--signal=KILL', UNIT);
    await systemd.untilShown(UNIT, { ActiveState: 'failed' });
    t.strictSame(await systemd.running(OURS), []);
    t.match(await systemd.journal(UNIT), /ended \d+ processes/);
  });
});
