import t from 'tap';
import { startEngine, withEngine } from '../support/container.js';
import { startBox } from '../support/gatewarden-container.js';
import { profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';

/** Far more than any stop here takes. */
const GRACE_SECONDS = 60;
const STRANGERS = 2;
/** setsid, double fork, nothing of ours in the environment */
const SCRUBBED = 'setsid sh -c "setsid env -i sleep 4711 &" </dev/null >/dev/null 2>&1';
const files = profileFile('tree', {
  command: ['/bin/sh', '-c', `${SCRUBBED}; exec sleep 4712`],
  drain_seconds: 1,
});

t.test('processes of a container', withEngine(), async (t) => {
  const engine = await startEngine(t);
  const image = await engine.buildImage();

  await t.test('where the cgroup mount is read-only it is weaker and says why', async (t) => {
    const box = await startBox(t, engine, { image, files });
    const { supervisor } = await box.untilReady('tree');
    t.equal(supervisor.containment, 'session+tag');
    t.match(supervisor.weakerBecause, /cgroup v2 is mounted read-only at/);
  });

  await t.test('where it is writable each profile has its cgroup, also as non-root', async (t) => {
    const box = await startBox(t, engine, {
      image,
      files,
      configure: (container) =>
        container
          .withAddedCapabilities('SYS_ADMIN')
          .withEntrypoint([
            ...['/bin/sh', '-c'],
            'mount -o remount,rw /sys/fs/cgroup && exec /usr/local/libexec/gatewarden/entrypoint',
          ]),
    });
    const { profiles, supervisor } = await box.untilReady('tree');
    t.match(supervisor, { containment: 'cgroup2', weakerBecause: null });
    const pid = profiles[0]?.pid ?? 0;
    const { stdout: cgroup } = await box.exec('cat', `/proc/${pid}/cgroup`);
    t.match(cgroup, /^0::\/gatewarden\/gatewarden-[^/]+\/tree\/gateway$/m);
    const procs = `/sys/fs/cgroup/${cgroup.split('::')[1]?.trim()}/cgroup.procs`;
    const { stdout: members } = await box.exec('cat', procs);
    t.equal(members.trim().split('\n').length, STRANGERS, 'the stranger is in it');

    const { code } = await box.exec('gatewarden', 'stop', 'tree');
    t.equal(code, 0);
    const { stdout: left } = await box.exec('sh', '-c', 'ps | grep -c "[s]leep 471"');
    t.equal(left.trim(), '0', 'and gone with it');
  });

  await t.test('a killed supervisor is started again', async (t) => {
    const box = await startBox(t, engine, { image, files: profileFile('bot', {}) });
    const { supervisor } = await box.untilReady('bot');
    await box.exec('kill', '-KILL', String(supervisor.pid));
    const again = await box.untilStatus(
      'the next one is ready',
      (report) =>
        report.supervisor !== null &&
        report.supervisor.pid !== supervisor.pid &&
        report.profiles[0]?.state === 'ready',
    );
    t.equal(again.profiles[0]?.desired, 'running');
  });

  await t.test(
    'with slots each profile has one, and a restart starts what was desired',
    async (t) => {
      const files = { ...profileFile('one', {}), ...profileFile('two', {}) };
      const box = await startBox(t, engine, {
        image,
        files,
        configure: (container) => container.withEnvironment({ GATEWARDEN_TOPOLOGY: 'slots' }),
      });
      const isUp = async (name: string, wanted: string) => {
        const slot = `/run/gatewarden/service/gateway-${name}`;
        await until(`${name} is ${wanted}`, async () => {
          const { stdout } = await box.exec('s6-svstat', '-o', 'up,ready', slot);
          return stdout.trim() === wanted;
        });
      };
      await isUp('one', 'true true');
      await isUp('two', 'true true');
      const scan = 'S6_PROFILE_GATEWAY_SCANDIR=/run/gatewarden/service';
      const { code, stderr } = await box.exec('env', scan, 'gatewarden', 'stop', 'two');
      t.equal(code, 0, stderr);
      await box.restart(GRACE_SECONDS);
      await isUp('one', 'true true');
      await isUp('two', 'false false');
      await until('the boot is logged', async () => {
        const { stdout } = await box.exec('cat', '/data/logs/container-boot.log');
        return /profile=two action=registered/.test(stdout);
      });
    },
  );

  await t.test('a thousand orphans leave no zombie', async (t) => {
    const command = ['/data/orphans-many', '1000'];
    const box = await startBox(t, engine, {
      image,
      files: profileFile('leaky', { command, ready: { log: 'orphaned' } }),
      configure: (container) => container,
      programs: ['orphans-many'],
    });
    await box.untilReady('leaky');
    const zombies = 'grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l';
    await until('none is left', async () => {
      const { stdout } = await box.exec('sh', '-c', zombies);
      return stdout.trim() === '0';
    });
  });
});
