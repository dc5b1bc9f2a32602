import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { launch } from '../../../../src/containment/launch/launch.js';
import { resolveProgram } from '../../../../src/containment/launch/resolve-program.js';
import { errnoOf } from '../../../../src/core/errors.js';
import { readEnvironment } from '../../../support/read-environment.js';

const PATH = process.env['PATH'] ?? '';
const TERMS = { tag: 'launch-test', procsFile: undefined, dataBytes: undefined };

async function errnoOfStart(program: string, cwd: string | undefined): Promise<string | undefined> {
  const { child } = launch(
    { argv: [program], cwd, env: { PATH }, stdio: 'ignore', oomScoreAdj: 1 },
    TERMS,
  );
  const [error] = await once(child, 'error');
  t.match(String(error), program, 'the message names the program, not the launcher');
  return errnoOf(error);
}

t.test('a program that cannot be started is told with the errno of the kernel', async (t) => {
  const dir = t.testdir({ data: 'not a program', script: '#!/no/such/interpreter\n' });
  chmodSync(join(dir, 'script'), 0o755);
  mkdirSync(join(dir, 'folder'));
  const table: [string, string | undefined, string][] = [
    ['no-such-program-anywhere', undefined, 'ENOENT'],
    [join(dir, 'missing'), undefined, 'ENOENT'],
    [join(dir, 'data'), undefined, 'EACCES'],
    [join(dir, 'folder'), undefined, 'EACCES'],
    [join(dir, 'script'), undefined, 'ENOENT'],
    ['true', join(dir, 'no-such-directory'), 'ENOENT'],
  ];
  for (const [program, cwd, errno] of table) {
    t.equal(await errnoOfStart(program, cwd), errno, `${program} in ${cwd}`);
  }
});

t.test('a program is looked for in the PATH of its own environment and directory', async (t) => {
  const dir = t.testdir({ bin: { mine: '#!/bin/sh\nexit 7\n' } });
  const file = join(dir, 'bin', 'mine');
  chmodSync(file, 0o755);
  t.equal(resolveProgram('mine', { cwd: undefined, env: { PATH } }), undefined);
  t.equal(resolveProgram('mine', { cwd: undefined, env: { PATH: join(dir, 'bin') } }), file);
  t.equal(resolveProgram('mine', { cwd: dir, env: { PATH: 'bin' } }), file);
  t.equal(resolveProgram('bin/mine', { cwd: dir, env: {} }), file);
  const request = { argv: ['bin/mine'] as [string], cwd: dir, env: {}, stdio: 'ignore' as const };
  const { child } = launch({ ...request, oomScoreAdj: 1 }, TERMS);
  t.strictSame(await once(child, 'exit'), [7, null]);
});

t.test('a cgroup that cannot be joined keeps the program from starting', async (t) => {
  const dir = t.testdir({});
  const { child } = launch(
    { argv: ['touch', join(dir, 'ran')], cwd: dir, env: { PATH }, stdio: 'pipe' },
    { ...TERMS, procsFile: join(dir, 'gone', 'cgroup.procs') },
  );
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.match(stderr, /could not join the cgroup/);
});

t.test('the launcher leaves no trace in the environment', async (t) => {
  const dir = t.testdir({});
  writeFileSync(join(dir, 'procs'), '');
  const env = { PATH, GREETING: 'a b$c', OLDPWD: '/given' };
  const { child } = launch(
    { argv: ['env'], cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'], oomScoreAdj: 1 },
    { tag: 'launch-test', procsFile: join(dir, 'procs'), dataBytes: 2 ** 30 },
  );
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  const wanted = { ...env, GATEWARDEN_SCOPE: 'launch-test' };
  t.strictSame(readEnvironment(text), wanted);
});

t.test('the limit for data holds in the program', async (t) => {
  const { child } = launch(
    { argv: ['sh', '-c', 'ulimit -d'], cwd: undefined, env: { PATH }, stdio: 'pipe' },
    { ...TERMS, dataBytes: 300 * 2 ** 20 },
  );
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  t.equal(text.trim(), String(300 * 1024));
});
