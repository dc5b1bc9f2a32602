import { realpathSync } from 'node:fs';
import t from 'tap';
import { isAlive } from '../../../support/gateway-processes.js';
import { gone, ToolBench } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';

t.test('a command runs in the profile directory and answers with output and code', async (t) => {
  const bench = new ToolBench(t);
  const said = await bench.terminal('pwd; echo to the other side >&2; exit 3');
  t.match(said, { state: 'exited', exit_code: 3, signal: null });
  t.equal(said.output, `${realpathSync(bench.directory)}\nto the other side\n`);
  t.strictSame((await bench.process('list')).processes, [], 'nothing of it is kept');
});

t.test(
  'a command sees only what the profile gives it, and its secrets are not shown',
  async (t) => {
    const bench = new ToolBench(t);
    const said = await bench.terminal('env | cut -d= -f1 | sort; echo $A_SECRET');
    const names = said.output.split('\n').filter((name) => /^[A-Z]/.test(name));
    // the shell's own, and what the test runner gives to every child
    const others = /^(NODE_OPTIONS|OLDPWD|PWD|SHLVL)$/;
    const own = names.filter((name) => !others.test(name));
    t.strictSame(own, ['A_SECRET', 'GATEWARDEN_SCOPE', 'GATEWARDEN_TURN', 'PATH']);
    t.ok(said.output.endsWith('\n[secret]\n'));
  },
);

t.test(
  'a command that takes too long is ended with its tree, and its output is kept',
  async (t) => {
    const bench = new ToolBench(t);
    const said = await bench.terminal('sleep 60 & echo $!; sleep 60', { timeout_seconds: 0.3 });
    t.match(said, { state: 'killed', timed_out: /ended after/ });
    t.notOk(isAlive(said.pid));
    t.notOk(isAlive(Number(said.output.trim())), 'what it started too');
  },
);

t.test('a grandchild that keeps the pipe does not hold a command that has ended', async (t) => {
  const bench = new ToolBench(t, { limits: { drainIdleMs: 50, drainWaitMs: 100 } });
  const said = await bench.terminal('sleep 60 & echo done');
  t.match(said, { state: 'exited', exit_code: 0, output: 'done\n', note: /still runs/ });
  const [left] = bench.processes.registry.all;
  t.equal(left?.facts.id, said.process_id, 'it is known as long as something of it lives');
  await bench.process('kill', { process_id: said.process_id });
  await until(() => bench.processes.registry.all.length === 0, 'nothing known');
});

t.test('a grandchild that writes for ever is read for so long and no longer', async (t) => {
  const bench = new ToolBench(t, { limits: { drainWaitMs: 10_000, drainMaxBytes: 50_000 } });
  const said = await bench.terminal('yes & exit 7');
  t.match(said, { state: 'exited', exit_code: 7 });
});

t.test('the end of the output is not the end of the process', async (t) => {
  const bench = new ToolBench(t);
  const said = await bench.background('exec >/dev/null 2>&1; sleep 60');
  t.match(await bench.process('wait', { process_id: said.process_id, timeout_seconds: 0.3 }), {
    state: 'running',
    timed_out: true,
  });
});

t.test('a turn that is cut off does not wait for its command', async (t) => {
  const bench = new ToolBench(t);
  const cut = new AbortController();
  const running = bench.call('terminal', { command: 'sleep 60' }, cut.signal);
  const pid = await until(() => bench.processes.registry.all[0]?.facts.identity.pid, 'the start');
  cut.abort(new Error('cut off'));
  bench.turn.abandon('caller-left');
  await t.rejects(running, { message: 'cut off' });
  await gone(pid);
});

t.test('a long output shows its beginning and its end', async (t) => {
  const bench = new ToolBench(t);
  const { output } = await bench.terminal('seq 1 30000');
  t.ok(output.length < 31_000);
  t.match(output, /^\d+\n/);
  t.match(output, /… \d+ characters left out …/);
  t.ok(output.endsWith('29999\n30000\n'));
});

for (const [what, input, error] of [
  ['no command', {}, /expected command/],
  ['an unknown argument', { command: 'true', timeout: 3 }, /expected only .*got timeout/],
  ['a wish for a pseudo-terminal', { command: 'true', pty: true }, /no pseudo-terminal.*a pipe/],
  ['a time-out of nothing', { command: 'true', timeout_seconds: 0 }, /from 0.001 to 180/],
  ['a time-out without end', { command: 'true', timeout_seconds: 1e9 }, /to 180/],
  ['a missing directory', { command: 'true', cwd: '/nowhere/at/all' }, /does not exist/],
  ['a command that is too long', { command: `: ${'x'.repeat(200_000)}` }, /write it to a file/],
  ['too many patterns', { command: 'true', watch_patterns: Array(9).fill('x') }, /at most 8/],
] as const) {
  t.test(`${what} is told to the agent`, async (t) => {
    const bench = new ToolBench(t);
    t.match((await bench.call('terminal', input)).error, error);
    t.equal(bench.processes.registry.all.length, 0);
  });
}

t.test('nothing is started for a turn that is over', async (t) => {
  const bench = new ToolBench(t);
  bench.turn.release();
  t.match((await bench.terminal('true')).error, /the turn is over/);
  t.match((await bench.process('list')).error, /the turn is over/);
});
