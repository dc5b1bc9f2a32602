import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { inheritContainment, readScope, type Scope } from '../../../../src/containment/index.js';
import { fixture } from '../../../support/fixture.js';
import { readEnvironment } from '../../../support/read-environment.js';
import { until } from '../../../support/until.js';

const TIMES = { graceMs: 300, giveUpMs: 20_000, lookEveryMs: 5 };
const GRANT = {
  place: undefined,
  weakerBecause: 'a test',
  memoryBytesPerProcess: undefined,
  holdsMemory: false,
};

function openScope(t: Test, tag: string): Scope {
  const scope = inheritContainment(GRANT, { tag, toolMemoryBytes: undefined }).openScope('turn-1');
  t.teardown(() => scope.end({ ...TIMES, graceMs: 0 }));
  return scope;
}

function request(...argv: [string, ...string[]]) {
  const env = { PATH: process.env['PATH'] ?? '' };
  return { argv, cwd: undefined, env, stdio: ['ignore', 'pipe', 'pipe'] as 'pipe'[] };
}

t.test(
  'a program of a scope has its tag, its own session and only the given environment',
  async (t) => {
    const scope = openScope(t, 'session-scope-1');
    const child = scope.spawn({ ...request('/bin/sh', '-c', 'env; sleep 60'), oomScoreAdj: 600 });
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await until('it has said its environment', () => text.includes('GATEWARDEN_SCOPE'));
    // the shell of the test itself sets its own
    const { PWD, ...environment } = readEnvironment(text);
    t.strictSame(Object.keys(environment).sort(), ['GATEWARDEN_SCOPE', 'PATH']);
    t.equal(readScope(child.pid ?? 0), 'session-scope-1:turn-1');
    const [member] = await scope.members();
    t.equal(member?.pid, child.pid);
    t.equal(readFileSync(`/proc/${child.pid}/oom_score_adj`, 'utf8').trim(), '600');
  },
);

t.test(
  'arguments reach the program as they are, whatever a shell would make of them',
  async (t) => {
    const scope = openScope(t, 'session-scope-2');
    const hostile = ['', ' ', '$HOME', '`id`', 'a"b', "a'b", '\\', '*', '-n', 'é\n2', ';ls', '--'];
    const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const child = scope.spawn({
      ...request(process.execPath, '-e', print, '--', ...hostile),
      oomScoreAdj: 300,
    });
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(child, 'close');
    t.strictSame(JSON.parse(text), hostile);
  },
);

t.test('what a program leaves behind in another session is counted and ended', async (t) => {
  const scope = openScope(t, 'session-scope-3');
  const child = scope.spawn(request(fixture('dies-leaving-grandchild')));
  await once(child, 'exit');
  t.equal(await scope.count(), 1);
  const [left] = await scope.members();
  const ending = await scope.end(TIMES);
  t.strictSame(ending, { signalled: [left?.pid], survivors: [] });
  t.equal(await scope.count(), 0);
  t.ok(scope.dispose());
});

t.test('two scopes of one owner never touch each other', async (t) => {
  const containment = inheritContainment(GRANT, {
    tag: 'session-scope-4',
    toolMemoryBytes: undefined,
  });
  const [one, two] = [containment.openScope('turn-1'), containment.openScope('turn-12')];
  t.teardown(() => two.end({ ...TIMES, graceMs: 0 }));
  one.spawn(request('sleep', '60'));
  const kept = two.spawn(request('sleep', '60'));
  await one.end(TIMES);
  t.strictSame(
    (await two.members()).map(({ pid }) => pid),
    [kept.pid],
  );
});
