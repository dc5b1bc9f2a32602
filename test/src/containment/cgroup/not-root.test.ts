import { execFile, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { findOwnPlaces } from '../../../../src/containment/index.js';
import { packageFile } from '../../../../src/core/package-root.js';
import { skipWithoutCgroups, uniqueTag } from '../../../support/test-containment.js';
import { until } from '../../../support/until.js';

const run = promisify(execFile);

/** `nobody`: owns nothing and may do nothing */
const UID = 65_534;
const AS_NOBODY = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs'];

/** What a manager gives away with `Delegate=yes`. */
const DELEGATED_FILES = ['.', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'];

function skipReason(): string | false {
  if (process.getuid?.() !== 0) return 'only root can give a cgroup away';
  if (skipWithoutCgroups() !== false) return skipWithoutCgroups();
  const launcher = packageFile('src', 'containment', 'launch', 'launch.sh');
  const { status } = spawnSync('setpriv', [...AS_NOBODY, 'test', '-r', launcher]);
  return status === 0 ? false : `uid ${UID} cannot read this clone, or setpriv is missing`;
}

/** A cgroup such as a service has; removed with what is in it. */
function makeService(t: Test): string {
  const found = findOwnPlaces(
    readFileSync('/proc/self/cgroup', 'utf8'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  if (found.kind === 'none') throw new Error(found.because);
  const service = join(found.places[0].directory, `gatewarden-${uniqueTag()}.service`);
  mkdirSync(service);
  t.teardown(async () => {
    writeFileSync(join(service, 'cgroup.kill'), '1');
    const events = join(service, 'cgroup.events');
    await until('nobody is left', () => readFileSync(events, 'utf8').includes('populated 0'));
    removeTree(service);
  });
  return service;
}

function removeTree(directory: string): void {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) removeTree(join(directory, entry.name));
  rmdirSync(directory);
}

interface Said {
  readonly uid: number;
  readonly rung: string;
  readonly weakerBecause?: string;
  readonly left: Readonly<Record<string, unknown>>;
}

async function containAsNobody(
  service: string,
  size: number,
  shapes: readonly string[],
): Promise<Said> {
  const join = 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"';
  const program = [
    process.execPath,
    packageFile('dist', 'test', 'fixtures', 'contains-itself.js'),
    uniqueTag(),
    String(size),
    ...shapes,
  ];
  const words = ['-c', join, 'sh', service, 'setpriv', ...AS_NOBODY, ...program];
  const { stdout } = await run('/bin/sh', words, { env: { PATH: process.env['PATH'] ?? '' } });
  return JSON.parse(stdout) as Said;
}

const isThorough = process.env['GATEWARDEN_THOROUGH'] === '1';
const SHAPES = ['setsid', 'scrubbed-double-fork', 'ignores-sigterm', 'forks-on', 'stopped'];
const options = { skip: skipReason() };

t.test('another user than root in a delegated cgroup has the first rung', options, async (t) => {
  const service = makeService(t);
  for (const name of DELEGATED_FILES) chownSync(join(service, name), UID, UID);
  const said = await containAsNobody(service, isThorough ? 100 : 10, SHAPES);
  t.match(said, { uid: UID, rung: 'cgroup2' });
  for (const shape of SHAPES) {
    t.match(said.left[shape], { survivors: [], living: 0, isGivenBack: true }, shape);
  }
  t.strictSame(
    readdirSync(service).filter((name) => existsSync(join(service, name, 'cgroup.procs'))),
    [],
    'its tree is taken down',
  );
});

t.test('in one that is not delegated the next rung is used, and says why', options, async (t) => {
  const said = await containAsNobody(makeService(t), 5, ['setsid', 'forks-on']);
  t.match(said, {
    uid: UID,
    rung: 'session+tag',
    weakerBecause: /is not delegated to us \(under systemd: Delegate=yes\) \(EACCES\)/,
    left: { setsid: { counted: 5, survivors: [], living: 0 }, 'forks-on': { living: 0 } },
  });
});
