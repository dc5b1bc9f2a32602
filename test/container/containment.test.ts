import t from 'tap';
import { startEngine, withEngine } from '../support/container.js';
import { startBox } from '../support/gatewarden-container.js';
import { profileFile } from '../support/supervised-home.js';

const STRANGERS = 2;
/** setsid, double fork, nothing of ours in the environment */
const SCRUBBED = 'setsid sh -c "setsid env -i sleep 4711 &" </dev/null >/dev/null 2>&1';
const files = profileFile('tree', {
  command: ['/bin/sh', '-c', `${SCRUBBED}; exec sleep 4712`],
  drain_seconds: 1,
});

t.test('containment in a container', withEngine(), async (t) => {
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
});
