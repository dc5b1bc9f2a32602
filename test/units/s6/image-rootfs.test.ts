import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT_CLASSES } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { S6_POLICY } from '../../../units/s6/policy.js';
import { FINISH_KILLED, FINISH_PERMANENT } from '../../../units/s6/render.js';
import { runProgram } from '../../support/run-program.js';

const SOURCE = 's6-overlay/etc/s6-overlay/s6-rc.d';
const read = (...parts: string[]) => readFileSync(packageFile(SOURCE, ...parts), 'utf8').trim();
const contents = (folder: string) => readdirSync(packageFile(folder)).sort();

t.test('the image’s service says what generated slots say', async (t) => {
  for (const { file, value } of S6_POLICY) t.equal(read('gatewarden', file), value, file);
});

t.test('s6-rc finds the service: a pipeline of two, in the bundle of either release', async (t) => {
  t.equal(read('gatewarden', 'producer-for'), 'gatewarden-log');
  t.equal(read('gatewarden-log', 'consumer-for'), 'gatewarden');
  const pipeline = read('gatewarden-log', 'pipeline-name');
  t.strictSame(contents(join(SOURCE, 'user', 'contents.d')), [pipeline]);
  t.strictSame(contents('s6-overlay/etc/s6-overlay/user-bundles.d/user/contents.d'), [pipeline]);
  t.strictSame(contents(join(SOURCE, 'gatewarden', 'dependencies.d')), ['base']);
  for (const name of ['gatewarden', 'gatewarden-log']) t.equal(read(name, 'type'), 'longrun');
});

t.test('everything that is started may be', async (t) => {
  const started = [
    ...['gatewarden/run', 'gatewarden/finish', 'gatewarden-log/run'].map((name) =>
      join(SOURCE, name),
    ),
    ...['etc/cont-init.d', 'usr/local/libexec/gatewarden'].flatMap((folder) =>
      contents(join('s6-overlay', folder)).map((name) => join('s6-overlay', folder, name)),
    ),
  ];
  t.strictSame(
    started.filter((file) => (statSync(packageFile(file)).mode & 0o111) !== 0o111),
    [],
  );
});

t.test('finish restarts what a retry may cure, and parks what it cannot', async (t) => {
  const script = packageFile(SOURCE, 'gatewarden', 'finish');
  const { PATH = '' } = process.env;
  const finish = async (...args: string[]) => {
    // by its shell: what its first line asks for is only in the image
    const ran = await runProgram(['/bin/sh', script, ...args], {
      env: { PATH, GATEWARDEN_RUN: t.testdir() },
    });
    return ran.code;
  };
  for (const { code, s6Finish } of Object.values(EXIT_CLASSES)) {
    // 0 ends the container, which only the real one can show
    if (code === 0) continue;
    const wanted = s6Finish === 'permanent' ? FINISH_PERMANENT : 0;
    t.equal(await finish(String(code), '0', 'gatewarden'), wanted, `exit ${code}`);
  }
  t.equal(await finish(String(FINISH_KILLED), '9', 'gatewarden'), 0, 'a signal is no code');
});
