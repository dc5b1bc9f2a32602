import { statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { startEngine, withEngine } from '../support/container.js';
import { startBox } from '../support/gatewarden-container.js';
import { profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';

const GRACE_SECONDS = 60;
const UID = 12_345;
const files = profileFile('bot', {});

t.test('accounts and file systems of a container', withEngine(), async (t) => {
  const engine = await startEngine(t);
  const image = await engine.buildImage();

  await t.test('it runs as a user that the image does not know, in a /run of root’s', async (t) => {
    const box = await startBox(t, engine, {
      image,
      files,
      ownerUid: UID,
      configure: (container) => container.withUser(`${UID}:${UID}`),
    });
    await box.untilReady('bot');
    t.equal(statSync(join(box.home, 'state')).uid, UID);
    await box.stop(GRACE_SECONDS);
    t.equal(await box.state('ExitCode'), String(EXIT.done));
  });

  await t.test('it runs on a read-only root with a /run that takes no programs', async (t) => {
    const box = await startBox(t, engine, {
      image,
      files,
      configure: (container) =>
        container.withReadOnlyRoot().withTmpFs({ '/run': 'rw,noexec,nosuid,nodev' }),
    });
    await box.untilReady('bot');
    await box.stop(GRACE_SECONDS);
    t.equal(await box.state('ExitCode'), String(EXIT.done));
  });

  await t.test(
    'it runs as another user on a read-only root with nothing but its home',
    async (t) => {
      const box = await startBox(t, engine, {
        image,
        files,
        ownerUid: UID,
        configure: (container) => container.withReadOnlyRoot().withUser(`${UID}:${UID}`),
      });
      await box.untilReady('bot');
      await box.stop(GRACE_SECONDS);
      t.equal(await box.state('ExitCode'), String(EXIT.done));
    },
  );

  await t.test('PUID and PGID decide whose the files of the volume are', async (t) => {
    const box = await startBox(t, engine, {
      image,
      files,
      configure: (container) => container.withEnvironment({ PUID: String(UID), PGID: String(UID) }),
    });
    await box.untilReady('bot');
    for (const name of ['', 'state', 'profiles/bot/state', 'profiles/bot/config.yaml']) {
      t.equal(statSync(join(box.home, name)).uid, UID, name);
    }
  });

  await t.test('PUID on a read-only root is refused with the remedy', async (t) => {
    const { code, stderr } = await engine.run([
      ...['run', '--rm', '--network', 'none', '--read-only', '--tmpfs', '/run'],
      ...['--env', `PUID=${UID}`, image],
    ]);
    t.equal(code, EXIT.config);
    t.match(stderr, /next: start with --user 12345:10000/);
  });

  await t.test('a user who may not write the home is told so', async (t) => {
    const { code, stderr } = await engine.run([
      ...['run', '--rm', '--network', 'none', '--user', String(UID), image],
    ]);
    t.equal(code, EXIT.config);
    t.match(stderr, /may not write \/data/);
  });

  await t.test('words make it that one command', async (t) => {
    const { code, stdout } = await engine.run([
      'run',
      '--rm',
      '--network',
      'none',
      image,
      'version',
    ]);
    t.equal(code, 0);
    t.match(stdout, /gatewarden \d/);
  });

  await t.test('without s6 in the base, tini is process 1', async (t) => {
    const bare = await engine.buildVariant('without-s6', [`FROM ${image}`, 'RUN rm /usr/bin/s6-*']);
    const box = await startBox(t, engine, {
      image: bare,
      files,
      ownerUid: UID,
      configure: (container) => container.withUser(`${UID}:${UID}`),
    });
    const { supervisor } = await box.untilReady('bot');
    t.equal(supervisor.manager, 'container');
    t.equal((await box.exec('cat', '/proc/1/comm')).stdout.trim(), 'tini');
    await box.stop(GRACE_SECONDS);
    t.equal(await box.state('ExitCode'), String(EXIT.done));
  });

  await t.test('with an init of the engine’s it runs without one of its own', async (t) => {
    const box = await startBox(t, engine, {
      image,
      files,
      ownerUid: UID,
      configure: (container) => container.withInit().withUser(`${UID}:${UID}`),
    });
    await box.untilReady('bot');
    await until('it is ready', async () => (await box.state('Running')) === 'true');
    await box.stop(GRACE_SECONDS);
    t.equal(await box.state('ExitCode'), String(EXIT.done));
  });
});
