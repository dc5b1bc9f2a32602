import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT_CLASSES } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { buildService } from '../../../units/build-service.js';
import { lineDiff } from '../../../units/line-diff.js';
import { FINISH_KILLED, FINISH_PERMANENT, renderS6Slot } from '../../../units/s6/render.js';
import { NO_LIMITS } from '../../../units/service.js';
import { runProgram } from '../../support/run-program.js';

const SOURCE = 's6-overlay/etc/s6-overlay/s6-rc.d';
const read = (...parts: string[]) => readFileSync(packageFile(SOURCE, ...parts), 'utf8').trim();
const contents = (folder: string) => readdirSync(packageFile(folder)).sort();

/** What a generated slot of the supervisor would be in the image. */
const SLOT = renderS6Slot(
  buildService({
    manager: 's6',
    subject: { kind: 'supervisor' },
    home: '/data',
    owner: { name: 'gatewarden', uid: 10_000, gid: 10_000, home: '/data' },
    mustBecomeOwner: true,
    // above every budget: the grace of the engine is the only clock that may cut a stop short
    budgets: { startMs: 1, stopMs: 300_000, watchdogMs: 1 },
    limits: NO_LIMITS,
  }),
  { logDirectory: '/data/logs/_container', shell: '/command/with-contenv sh' },
);

/** Everything that is not as generated, and why. Comments tell who starts a file: they may differ. */
const DIFFERENCES: Readonly<Record<string, { because: string; lines: readonly string[] }>> = {
  run: {
    because: 'one script for every process 1, and for slots instead of a supervisor',
    lines: [
      '-cd /data || exit 78',
      '-export GATEWARDEN_HOME=/data',
      '-export GATEWARDEN_NOTIFY_FD=3',
      '-export GATEWARDEN_S6_SUPERVISED_CHILD=1',
      '-export GATEWARDEN_SUPERVISED=1',
      '-export HOME=/data',
      '-export LOGNAME=gatewarden',
      '-export PATH=/data/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      '-export USER=gatewarden',
      '-if [ "$(id -u)" -eq 0 ]; then',
      '-  exec s6-setuidgid gatewarden /bin/sh /data/bin/gatewarden up',
      '-fi',
      '-exec /bin/sh /data/bin/gatewarden up',
      '+exec /usr/local/libexec/gatewarden/main',
    ],
  },
  finish: {
    because: 'the container ends with its service, and says where to look when that is refused',
    lines: [
      '-#!/bin/sh',
      '+#!/command/with-contenv sh',
      '+end_code_file=${GATEWARDEN_RUN:-/run/gatewarden}/end-code',
      '+if [ -s "$end_code_file" ]; then',
      '+  read -r code <"$end_code_file"',
      '+  rm -f "$end_code_file"',
      '+  exec /usr/local/libexec/gatewarden/end-container "$code"',
      '+fi',
      '-  0 | 64 | 78) exit 125 ;;',
      '+  0) exec /usr/local/libexec/gatewarden/end-container 0 ;;',
      '+  64 | 78)',
      '+    echo "gatewarden: the supervisor was refused ($1) and stays down; see the lines above," \\',
      "+      'mend it and restart the container' >&2",
      '+    exit 125',
      '+    ;;',
    ],
  },
};

/** s6-rc has a service of its own for what plain s6 finds in `log`. */
const imageFile = (path: string) =>
  path.startsWith('log/') ? join('gatewarden-log', path.slice(4)) : join('gatewarden', path);

/** What s6-rc needs beyond a slot. */
const OF_S6_RC = [
  'gatewarden-log/consumer-for',
  'gatewarden-log/pipeline-name',
  'gatewarden/dependencies.d/base',
  'gatewarden/producer-for',
];

t.test('the image’s service is the generated slot, but for what is stated', async (t) => {
  for (const { path, text } of SLOT) {
    const { because = 'nothing', lines = [] } = DIFFERENCES[path] ?? {};
    const image = readFileSync(packageFile(SOURCE, imageFile(path)), 'utf8');
    t.strictSame(lineDiff(codeOf(text), codeOf(image)), lines, `${path}: ${because}`);
  }
});

t.test('it has no file that a generated slot has not, but those of s6-rc', async (t) => {
  const services = ['gatewarden', 'gatewarden-log'].flatMap((name) => filesOf(name)).sort();
  t.strictSame(services, [...SLOT.map(({ path }) => imageFile(path)), ...OF_S6_RC].sort());
});

function codeOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^#(?!!)/.test(line))
    .join('\n');
}

function filesOf(service: string): string[] {
  return readdirSync(packageFile(SOURCE, service), { recursive: true, encoding: 'utf8' })
    .map((name) => join(service, name))
    .filter((name) => statSync(packageFile(SOURCE, name)).isFile())
    .sort();
}

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
